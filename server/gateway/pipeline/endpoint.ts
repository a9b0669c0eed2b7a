import { anthropicLimitHeaders, type Caller, type Gatekeeper } from "@/server/access";
import type { Cancellation } from "@/server/base/cancellation";
import type { ClientRequest } from "@/server/base/client-request";
import { hangUpOf } from "@/server/base/client-request";
import type { Clock } from "@/server/base/clock";
import { asGatewayError, errorReply, GatewayError } from "@/server/base/errors";
import { type Eventual, whenHere, whenOver } from "@/server/base/eventual";
import { type Reply, untilTaken } from "@/server/base/reply";
import type { Tracing } from "@/server/base/tracing";
import type { MissedPaths } from "@/server/calls";
import { newId } from "@/server/domain/ids";
import type { Endpoint } from "@/server/endpoints";
import type { BodyBudget } from "../body/body-bytes";
import { expectedBytes } from "../body/raw-body";
import type { AuthedCall, OpenCall } from "./call";
import { beginTrace } from "./call-trace";
import { headersWithQueryKey } from "./query-key";
import { outwardOf, type RecordDeps, recordCall } from "./record-call";
import { readsSdkErrors } from "./sdk-errors";

/**
 * A signed-in user of the console. The user calls as this key, whose secret is unknown to everyone, from this address.
 */
type ConsoleCaller = { caller: Caller; address: string | null };

/** `peer`: the socket's address; null if the server cannot see it. With `as`, the call needs no key. */
export type Handler = (request: ClientRequest, peer: string | null, as?: ConsoleCaller) => Eventual<Reply>;

export type EndpointDeps = RecordDeps & {
  access: Gatekeeper;
  bodies: BodyBudget;
  /** The requested paths that no endpoint has. */
  missed: MissedPaths;
  /** null: tracing is off. */
  tracing: Tracing | null;
  clock: Clock;
  /** Cancelled when calls must end because the process stops. */
  stopping: Cancellation;
  /** Whether errors have the members that SDKs read. undefined: only for clients that show that they read them. */
  compatErrors: boolean | undefined;
};

/** The members of an endpoint's declaration that the shared steps use. */
type Declared<Access> = Pick<Endpoint, "name" | "dialect" | "limit"> & { access: Access };

/** An endpoint with the function that answers. `peer`: the socket's address. */
type Answered =
  | (Declared<"open"> & { run: (call: OpenCall, peer: string | null) => Eventual<Reply> })
  | (Declared<"key"> & { run: (call: AuthedCall) => Eventual<Reply> });

type Origin = { peer: string | null; as: ConsoleCaller | undefined };

/** Returns the caller. A known key is noted before it can be refused, so that its account's log shows the refusal. */
function enter(
  { access }: EndpointDeps,
  { request, logFields: facts }: OpenCall,
  { peer, as, dialect }: Origin & Pick<Endpoint, "dialect">,
): Eventual<Caller> {
  if (as) {
    const { accountId, keyId } = as.caller;
    Object.assign(facts, { accountId, keyId, address: as.address });
    return as.caller;
  }
  const address = access.addressOf(request.headers, peer);
  // Noted before the caller is known: operators first ask where a refused key came from.
  facts.address = address;
  const headers = dialect === "gemini" ? headersWithQueryKey(request) : request.headers;
  return whenHere(access.identify(headers), (key) => {
    facts.accountId = key.accountId;
    facts.keyId = key.keyId;
    return access.admit(key, { address });
  });
}

/** Counts a call against its limits per minute, and shows them in its answer. */
const limit = (
  { access }: EndpointDeps,
  { responseHeaders: shown }: OpenCall,
  { caller, kind }: { caller: Caller; kind: Endpoint["limit"] },
): Eventual<unknown> =>
  whenHere(access.limit(caller), (own) => {
    Object.assign(shown, own);
    // In addition to the key's own limit.
    return kind && access.limitVideos(caller, kind).then((headers) => Object.assign(shown, headers));
  });

/** Answers a call with a key. Its steps wait only if something is not in memory. */
function answerCaller(
  deps: EndpointDeps,
  declaration: Extract<Answered, { access: "key" }>,
  { call, peer, as }: Origin & { call: OpenCall },
): Eventual<Reply> {
  return whenHere(enter(deps, call, { peer, as, dialect: declaration.dialect }), (caller) => {
    // Requested together: with several processes, both are counted in a shared place.
    const holder = { id: caller.keyId, accountId: caller.accountId };
    const bytes = deps.bodies.open(holder, expectedBytes(call.request));
    call.cleanups.push(bytes.release);
    return whenHere(deps.access.enter(caller), (leave) => {
      call.leave = leave;
      return whenHere(limit(deps, call, { caller, kind: declaration.limit }), () =>
        declaration.run(Object.assign(call, { caller, bytes })),
      );
    });
  });
}

/** Renders an error, and notes it for the call's log line. */
function refuse(
  deps: EndpointDeps,
  { name, dialect }: Answered,
  { call, thrown }: { call: OpenCall; thrown: unknown },
): { reply: Reply; refused: GatewayError } {
  const refused = asGatewayError(thrown);
  call.logFields.error = refused.slug;
  if (refused.cause !== undefined) {
    call.logFields.err = refused.cause;
  }
  const isCompat = deps.compatErrors ?? readsSdkErrors(name, call.request.headers);
  return { reply: errorReply(refused, { ...outwardOf(deps, call), isCompat, dialect }), refused };
}

/** The reply with the headers of all answers. */
function withHeaders(
  deps: EndpointDeps,
  { dialect }: Answered,
  { call, reply }: { call: OpenCall; reply: Reply },
): Reply {
  // Both names of the id: the OpenAI SDKs read the first, the Anthropic ones the second.
  const ids = { "x-request-id": call.requestId, "request-id": call.requestId };
  const headers = { ...call.responseHeaders, ...reply.headers, ...ids };
  return dialect === "messages"
    ? { ...reply, headers: { ...headers, ...anthropicLimitHeaders(headers, deps.clock()) } }
    : { ...reply, headers };
}

/**
 * Wraps an endpoint in the steps that all of them share, in the order that the contract test pins: request id,
 * identification and admission (401, 403), a place and rate limits (429), the endpoint itself, one rendering of any
 * error, and the call's record.
 */
export function endpoint(deps: EndpointDeps, declaration: Answered): Handler {
  const { name } = declaration;
  return (request, peer, as) => {
    const startedAt = deps.clock();
    const started = performance.now();
    const sinceStartMs = () => Math.round(performance.now() - started);
    const isTrusted = peer !== null && deps.access.trusts(peer);
    const trace = beginTrace(deps.tracing, request, { endpoint: name, isTrusted });
    let firstTokenMs: number | null = null;
    deps.metrics.requestsOpen.inc({ endpoint: name });
    const end = (status: number, failure: GatewayError | null) => {
      deps.metrics.requestsOpen.dec({ endpoint: name });
      for (const run of call.cleanups) {
        run();
      }
      const elapsedMs = sinceStartMs();
      const times = { status, startedAt, firstTokenMs, elapsedMs };
      recordCall(deps, { endpoint: name, call, failure, times });
      trace.end(call, status);
    };
    const call: OpenCall = {
      requestId: newId("req"),
      request,
      hangUp: hangUpOf(request),
      readyAt: started,
      logFields: trace.facts,
      traceHeaders: trace.passedOn,
      attempts: [],
      responseHeaders: {},
      cleanups: [],
      ended: ({ broken, ...how }) => {
        Object.assign(call.logFields, how, broken && { error: broken.slug });
        end(200, broken);
      },
    };
    const answered = (reply: Reply, refused: GatewayError | null): Reply => {
      const elapsedMs = sinceStartMs();
      deps.metrics.requests.inc({ endpoint: name, status: reply.status });
      deps.metrics.latency.observe({ endpoint: name }, elapsedMs / 1000);
      const sent = call.leave ? untilTaken(reply, call.leave) : reply;
      // The text of a repeat's stream is here as a whole, and has no end, even if it is sent in pieces.
      if (call.logFields.stream && typeof reply.body !== "string") {
        firstTokenMs = elapsedMs;
      } else {
        end(reply.status, refused);
      }
      return withHeaders(deps, declaration, { call, reply: sent });
    };
    return whenOver(
      () => {
        if (deps.stopping.isCancelled) {
          throw new GatewayError("unavailable");
        }
        return declaration.access === "open"
          ? declaration.run(call, peer)
          : answerCaller(deps, declaration, { call, peer, as });
      },
      (reply) => answered(reply, null),
      (thrown) => {
        call.leave?.();
        const { reply, refused } = refuse(deps, declaration, { call, thrown });
        return answered(reply, refused);
      },
    );
  };
}
