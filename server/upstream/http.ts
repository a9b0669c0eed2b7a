import { Agent, type Dispatcher } from "undici";
import { fromSignal } from "@/server/base/cancellation";
import { createRecent } from "@/server/base/recent";
import { type UpstreamCall, UpstreamFault, type UpstreamReply } from "./adapter";
import { readText } from "./body";
import { decoded, UNCOMPRESSED } from "./encoding";
import { ask, askFor, type HttpResponse } from "./exchange";
import { createOriginPlaces, type Places } from "./places";

/**
 * The most calls at one origin that are in progress, and that wait for a place. Accounts share both (fair-share.ts).
 * `patienceMs`: how long a call waits for one.
 */
export type OriginLimits = { places: number; waiting: number; patienceMs: number };

/** For programs that serve no clients: commands and tests. */
export const FEW: OriginLimits = { places: 1_024, waiting: 1_024, patienceMs: 10_000 };

/** The connections for calls. */
export type Connections = { dispatcher: Dispatcher; placesAt: (origin: string) => Places };

export const createConnections = (
  dispatcher: Dispatcher,
  { places, waiting, patienceMs }: OriginLimits,
): Connections => ({
  dispatcher,
  placesAt: createOriginPlaces({ capacity: places, maxWaiting: waiting, patienceMs }),
});

/** For requests without places: video tasks, and tests by people. */
const MORE_CONNECTIONS = 128;

/**
 * Connections to all upstreams. `places`: the calls and readers of files at one origin. Deadlines belong to the caller:
 * only connecting has one here.
 */
export function createDispatcher(places = FEW.places): Agent {
  return new Agent({
    connect: { timeout: 5_000 },
    connections: places + MORE_CONNECTIONS,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 64 * 1024,
  });
}

const first = (header: string | string[] | undefined) => (Array.isArray(header) ? header[0] : header);

function retryAfterMs(headers: HttpResponse["headers"]): number | null {
  const text = first(headers["retry-after"]);
  if (!text) {
    return null;
  }
  const wait = /^\d{1,12}(\.\d{1,12})?$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return Number.isFinite(wait) ? Math.min(Math.max(wait, 0), 300_000) : null;
}

/**
 * Codes of undici and Node for a connection that ended during a request. A proxy does this to a body that is too large
 * for it.
 */
const CUT = /^(UND_ERR_SOCKET|ECONNRESET|EPIPE)/;
/** Codes for an answer that had begun, and is unreadable. */
const UNREADABLE = /^(UND_ERR_HEADERS|UND_ERR_RES|HPE_)/;

/**
 * A call that is cut off later may have been carried out: proxies also end connections like this after a long silence.
 */
const AT_ONCE_MS = 5_000;

function noAnswer(error: unknown, elapsedMs: number): UpstreamFault {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const fault = (reason: UpstreamFault["reason"]) =>
    new UpstreamFault(reason, String(error), { cause: error });
  if (CUT.test(code)) {
    return fault(elapsedMs < AT_ONCE_MS ? "cut" : "broken");
  }
  return fault(UNREADABLE.test(code) ? "malformed" : "unreachable");
}

type Address = { origin: string; path: string };

/** Throws for a text that is no address. */
function parseAddress(text: string): Address {
  const { origin, pathname, search } = new URL(text);
  return { origin, path: pathname + search };
}

/** More than channels have; an address that names a model is one for each of them. */
const MAX_ADDRESSES = 10_000;
const addresses = createRecent<string, Address>(MAX_ADDRESSES);

/** The address of calls, parsed once. */
function addressOf(text: string): Address {
  const known = addresses.get(text);
  if (known) {
    return known;
  }
  const address = parseAddress(text);
  addresses.set(text, address);
  return address;
}

type Target = { path: string; headers: Record<string, string> };

function post(
  dispatcher: Dispatcher,
  call: UpstreamCall,
  { address, headers, onOver }: { address: Address; headers: Target["headers"]; onOver: () => void },
): Promise<UpstreamReply> {
  const sentAt = performance.now();
  const content =
    typeof call.body === "string" ? { contentType: "application/json", bytes: call.body } : call.body;
  const request = {
    ...{ method: "POST" as const, origin: address.origin, path: address.path },
    headers: {
      "content-type": content.contentType,
      accept: "application/json, text/event-stream",
      ...UNCOMPRESSED,
      ...call.headers,
      ...headers,
    },
    body: content.bytes,
    cancellation: call.cancellation,
    awaitsBody: call.awaitsBody,
    onHead: call.onHead,
    onOver,
  };
  return askFor(dispatcher, request, {
    answer: ({ status, headers: answered, body, discard }) => ({
      status,
      contentType: first(answered["content-type"]) ?? "",
      retryAfterMs: retryAfterMs(answered),
      body: decoded(body, answered["content-encoding"]),
      discard,
    }),
    failure: (error) => (call.cancellation.isCancelled ? error : noAnswer(error, performance.now() - sentAt)),
  });
}

/**
 * POSTs JSON, or a form, once there is a free place, which is freed when the reply's body has ended, in any way. Throws
 * UpstreamFault `busy`, `unreachable`, `malformed`, `cut` or `broken` if no answer began; any status is an answer.
 */
export function postCall(
  { dispatcher, placesAt }: Connections,
  call: UpstreamCall,
  { path, headers }: Target,
): Promise<UpstreamReply> {
  const address = addressOf(`${call.baseUrl}${path}`);
  const places = placesAt(address.origin);
  const release = places.takeNow(call.owner);
  return release === null
    ? places
        .take(call.owner, call.cancellation)
        .then((onOver) => post(dispatcher, call, { address, headers, onOver }))
    : post(dispatcher, call, { address, headers, onOver: release });
}

export type Sending = {
  method: "GET" | "POST" | "DELETE";
  url: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  /** The longest silence of the upstream. Without it, only the signal ends a silence. */
  idleMs?: number;
};

/**
 * Sends any request; any status is an answer, redirects included. Throws UpstreamFault: `unreachable` if nothing was
 * sent (no name, no connection, no TLS, or the deadline came first), `timeout` or `broken` if it was sent and no answer
 * began.
 */
export async function send(
  dispatcher: Dispatcher,
  { url, signal, ...sending }: Sending,
): Promise<HttpResponse & { retryAfterMs: number | null }> {
  let isSent = false;
  const onSending = () => {
    isSent = true;
  };
  try {
    const headers = { ...UNCOMPRESSED, ...sending.headers };
    const cancellation = fromSignal(signal);
    const answer = await ask(dispatcher, {
      ...sending,
      ...parseAddress(url),
      headers,
      cancellation,
      onSending,
    });
    return { ...answer, retryAfterMs: retryAfterMs(answer.headers) };
  } catch (error) {
    const late = signal.aborted ? "timeout" : "broken";
    throw new UpstreamFault(isSent ? late : "unreachable", String(error), { cause: error });
  }
}

export type TextAnswer = {
  status: number;
  retryAfterMs: number | null;
  /** null: cut off, or larger than `maxBytes`. */
  text: string | null;
};

/**
 * Returns the whole answer as text. Throws like `send`; with an unreadable body only the status remains, which is an
 * answer, too.
 */
export async function sendForText(
  dispatcher: Dispatcher,
  sending: Sending,
  maxBytes: number,
): Promise<TextAnswer> {
  const { status, retryAfterMs, headers, body } = await send(dispatcher, sending);
  const text = await readText(decoded(body, headers["content-encoding"]), maxBytes).catch(
    (error: unknown) => {
      if (error instanceof UpstreamFault) {
        return null;
      }
      throw error;
    },
  );
  return { status, retryAfterMs, text };
}
