import { anthropicLimitHeaders, type Caller, type Gatekeeper } from "@/server/access";
import type { ClientRequest } from "@/server/base/client-request";
import type { Clock } from "@/server/base/clock";
import { asGatewayError, errorReply, GatewayError } from "@/server/base/errors";
import { type Reply, untilTaken } from "@/server/base/reply";
import type { Tracing } from "@/server/base/tracing";
import type { MissedPaths } from "@/server/calls";
import { newId } from "@/server/domain/ids";
import type { Endpoint } from "@/server/endpoints";
import { expectedBytes } from "../body/body";
import type { BodyBudget } from "../body/body-bytes";
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
export type Handler = (request: ClientRequest, peer: string | null, as?: ConsoleCaller) => Promise<Reply>;

export type EndpointDeps = RecordDeps & {
  access: Gatekeeper;
  bodies: BodyBudget;
  /** The requested paths that no endpoint has. */
  missed: MissedPaths;
  /** null: tracing is off. */
  tracing: Tracing | null;
  clock: Clock;
  /** Aborts when calls must end because the process stops. */
  stopping: AbortSignal;
  /** Whether errors have the members that SDKs read. undefined: only for clients that show that they read them. */
  compatErrors: boolean | undefined;
};

/** What the shared steps need of an endpoint's declaration. */
type Declared<Access> = Pick<Endpoint, "name" | "dialect" | "limit"> & { access: Access };

/** An endpoint with the function that answers. `peer`: the socket's address. */
type Answered =
  | (Declared<"open"> & { run: (call: OpenCall, peer: string | null) => Promise<Reply> | Reply })
  | (Declared<"key"> & { run: (call: AuthedCall) => Promise<Reply> });

type Origin = { peer: string | null; as: ConsoleCaller | undefined };

/** Returns the caller. A known key is noted before it can be refused, so that its account's log shows the refusal. */
async function enter(
  { access }: EndpointDeps,
  { request, logFields: facts }: OpenCall,
  { peer, as, dialect }: Origin & Pick<Endpoint, "dialect">,
): Promise<Caller> {
  const note = ({ accountId, keyId }: Caller, address: string | null) =>
    Object.assign(facts, { accountId, keyId, address });
  if (as) {
    note(as.caller, as.address);
    return as.caller;
  }
  const address = access.addressOf(request.headers, peer);
  // Noted before the caller is known: operators first ask where a refused key came from.
  facts.address = address;
  const key = await access.identify(dialect === "gemini" ? headersWithQueryKey(request) : request.headers);
  note(key, address);
  return access.admit(key, { address });
}

/** Returns the endpoint's answer. If it throws, returns the rendered error, and the error as `refused`. */
async function answer(
  deps: EndpointDeps,
  declaration: Answered,
  { call, ...origin }: Origin & { call: OpenCall },
): Promise<{ reply: Reply; refused: GatewayError | null }> {
  const { responseHeaders: shown } = call;
  let reply: Reply;
  let refused: GatewayError | null = null;
  try {
    if (deps.stopping.aborted) {
      throw new GatewayError("unavailable");
    }
    if (declaration.access === "open") {
      reply = await declaration.run(call, origin.peer);
    } else {
      const caller = await enter(deps, call, { ...origin, dialect: declaration.dialect });
      const holder = { id: caller.keyId, accountId: caller.accountId };
      // Requested together: with several processes, both are counted in a shared place.
      const bytes = deps.bodies.open(holder, expectedBytes(call.request));
      call.cleanups.push(bytes.release);
      reply = await untilTaken(
        async () => {
          Object.assign(shown, await deps.access.limit(caller));
          if (declaration.limit) {
            // In addition to the key's own limit.
            Object.assign(shown, await deps.access.limitVideos(caller, declaration.limit));
          }
          return await declaration.run(Object.assign(call, { caller, bytes }));
        },
        await deps.access.enter(caller),
      );
    }
  } catch (thrown) {
    refused = asGatewayError(thrown);
    call.logFields.error = refused.slug;
    if (refused.cause !== undefined) {
      call.logFields.err = refused.cause;
    }
    reply = errorReply(refused, {
      ...outwardOf(deps, call),
      isCompat: deps.compatErrors ?? readsSdkErrors(declaration.name, call.request.headers),
      dialect: declaration.dialect,
    });
  }
  // Both names: the OpenAI SDKs read the first, the Anthropic ones the second.
  const ids = { "x-request-id": call.requestId, "request-id": call.requestId };
  const headers = { ...shown, ...reply.headers, ...ids };
  const ofDialect = declaration.dialect === "messages" ? anthropicLimitHeaders(headers, deps.clock()) : {};
  return { reply: { ...reply, headers: { ...headers, ...ofDialect } }, refused };
}

/**
 * Wraps an endpoint in the steps that all of them share, in the order that the contract test pins: request id,
 * identification and admission (401, 403), a place and rate limits (429), the endpoint itself, one rendering of any
 * error, and the call's record.
 */
export function endpoint(deps: EndpointDeps, declaration: Answered): Handler {
  const { name } = declaration;
  return async (request, peer, as) => {
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
      recordCall(deps, { endpoint: name, call, failure, status, startedAt, firstTokenMs, elapsedMs });
      trace.end(call, status);
    };
    const call: OpenCall = {
      requestId: newId("req"),
      request,
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
    const { reply, refused } = await answer(deps, declaration, { call, peer, as });
    const elapsedMs = sinceStartMs();
    deps.metrics.requests.inc({ endpoint: name, status: reply.status });
    deps.metrics.latency.observe({ endpoint: name }, elapsedMs / 1000);
    if (call.logFields.stream && typeof reply.body !== "string") {
      firstTokenMs = elapsedMs;
    } else {
      end(reply.status, refused);
    }
    return reply;
  };
}
