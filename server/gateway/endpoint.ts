import type { Caller, Gatekeeper } from "@/server/access";
import type { Clock } from "@/server/clock";
import { asGatewayError, errorReply, GatewayError } from "@/server/errors";
import { newId } from "@/server/ids";
import type { Log } from "@/server/log";
import type { Metrics } from "@/server/metrics";
import type { Reply } from "@/server/reply";

/** `peer`: the socket's address; null where a server cannot see it. */
export type Handler = (request: Request, peer: string | null) => Promise<Reply>;

/** A request on its way through the gateway. `facts` end up in its log line. */
export type OpenCall = {
  requestId: string;
  request: Request;
  facts: Record<string, unknown>;
};

export type AuthedCall = OpenCall & { caller: Caller };

export type EndpointDeps = {
  access: Gatekeeper;
  log: Log;
  metrics: Metrics;
  clock: Clock;
  isDraining: () => boolean;
  compatErrors: boolean;
};

type Declaration =
  | { name: string; access: "open"; run: (call: OpenCall) => Promise<Reply> }
  | {
      name: string;
      access: "key";
      /** A limit beside the key's own. Returns headers to show; throws 429. */
      limit?: (caller: Caller) => Promise<Record<string, string>>;
      run: (call: AuthedCall) => Promise<Reply>;
    };

/**
 * Wraps an endpoint in what all of them share, in the order that the contract test pins: request id, admission (401,
 * 403), rate limit (429), the endpoint itself, and one rendering of whatever it throws.
 */
export function endpoint(deps: EndpointDeps, declaration: Declaration): Handler {
  return async (request, peer) => {
    const started = performance.now();
    const call: OpenCall = { requestId: newId("req"), request, facts: {} };
    let reply: Reply;
    let extra: Record<string, string> = {};
    try {
      if (deps.isDraining()) {
        throw new GatewayError("unavailable");
      }
      if (declaration.access === "open") {
        reply = await declaration.run(call);
      } else {
        const caller = await deps.access.admit(request.headers, peer);
        call.facts.accountId = caller.accountId;
        call.facts.keyId = caller.keyId;
        extra = await deps.access.limit(caller);
        Object.assign(extra, await declaration.limit?.(caller));
        reply = await declaration.run({ ...call, caller });
      }
    } catch (thrown) {
      const error = asGatewayError(thrown);
      call.facts.error = error.slug;
      if (error.cause !== undefined) {
        call.facts.err = error.cause;
      }
      reply = errorReply(error, { isCompat: deps.compatErrors });
    }
    // Both names: the OpenAI SDKs read the first, the Anthropic ones the second.
    Object.assign(reply.headers, extra, { "x-request-id": call.requestId, "request-id": call.requestId });
    const elapsedMs = Math.round(performance.now() - started);
    deps.metrics.requests.inc({ endpoint: declaration.name, status: reply.status });
    deps.metrics.latency.observe({ endpoint: declaration.name }, elapsedMs / 1000);
    const line = {
      ...call.facts,
      requestId: call.requestId,
      endpoint: declaration.name,
      status: reply.status,
      elapsedMs,
    };
    deps.log[reply.status >= 500 ? "error" : "info"](line, "request");
    return reply;
  };
}
