import type { ClientRequest } from "@/server/base/client-request";
import type { TraceContext } from "@/server/base/trace-context";
import {
  readClientRequestId,
  readTraceparent,
  readTracestate,
  writeTraceparent,
} from "@/server/base/trace-context";
import type { Tracing } from "@/server/base/tracing";
import type { Attempt } from "@/server/channels";
import { operationNameOf, providerOf } from "@/server/domain/call-metrics";
import { endpointLabels } from "@/server/endpoints";
import type { OpenCall } from "./call";

/** A call in its trace. */
export type CallTrace = {
  /** For the call's log line: the client's id for the call, and the trace's id. */
  facts: { clientRequestId?: string; traceId?: string };
  /** The headers that pass the trace on to upstreams. */
  passedOn: Record<string, string>;
  /** Called once, when the call has ended. */
  end: (call: Pick<OpenCall, "requestId" | "logFields" | "attempts">, status: number) => void;
};

const present = (attributes: Record<string, string | number | boolean | null | undefined>) =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined || value === null ? [] : [[name, value] as const],
    ),
  );

/** The attributes of a client span in the GenAI conventions. They contain no text of the call. */
function attributesOf({ operation, api, channel, modelId, upstreamModel, ...attempt }: Attempt) {
  return present({
    "gen_ai.operation.name": operationNameOf(operation),
    "gen_ai.provider.name": providerOf(api),
    "gen_ai.request.model": upstreamModel,
    "gen_ai.response.model": attempt.answeringModel,
    "gen_ai.response.time_to_first_chunk": attempt.firstMs === null ? null : attempt.firstMs / 1_000,
    "http.response.status_code": attempt.status,
    "tollgate.channel": channel,
    "tollgate.model": modelId,
  });
}

/** The outcomes that are not errors. */
const FINE: Attempt["outcome"][] = ["ok", "abandoned"];

/**
 * Continues the trace that a client names, or begins one. Without a collector nothing is recorded, and the client's
 * trace is passed on as it is.
 */
export function beginTrace(
  tracing: Tracing | null,
  { headers, method }: ClientRequest,
  { endpoint, isTrusted }: { endpoint: string; isTrusted: boolean },
): CallTrace {
  const remote = readTraceparent(headers.get("traceparent"));
  const clientRequestId = readClientRequestId(headers.get("x-request-id"));
  const span = tracing?.begin(`${method} ${routeOf(endpoint)}`, { remote, isTrusted });
  const context = span?.context ?? remote;
  const state = remote ? readTracestate(headers.get("tracestate")) : null;
  return {
    facts: {
      ...(clientRequestId !== null && { clientRequestId }),
      ...(context && { traceId: context.traceId }),
    },
    passedOn: passedOn(context, state),
    end: ({ requestId, logFields: facts, attempts }, status) => {
      for (const attempt of attempts) {
        const { beganAt, elapsedMs, outcome } = attempt;
        span?.child(
          `${operationNameOf(attempt.operation)} ${attempt.upstreamModel}`,
          { beganAt, endedAt: beganAt + elapsedMs },
          { attributes: attributesOf(attempt), error: FINE.includes(outcome) ? null : outcome },
        );
      }
      span?.end({
        attributes: present({
          "http.request.method": method,
          "http.route": routeOf(endpoint),
          "http.response.status_code": status,
          "gen_ai.usage.input_tokens": facts.inputTokens,
          "gen_ai.usage.output_tokens": facts.outputTokens,
          "tollgate.request_id": requestId,
          "tollgate.account_id": facts.accountId,
          "tollgate.cost": facts.cost,
        }),
        error: facts.error ?? null,
        isClients: status >= 400 && status < 500,
      });
    },
  };
}

const routeOf = (endpoint: string): string =>
  (endpointLabels[endpoint] ?? `/v1/${endpoint}`).replace(/^[A-Z]+ /, "");

const passedOn = (context: TraceContext | null, state: string | null): Record<string, string> =>
  context === null
    ? {}
    : { traceparent: writeTraceparent(context), ...(state !== null && { tracestate: state }) };
