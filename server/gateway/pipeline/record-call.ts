/** The record step of every call: its log line, its trace, its metrics and its row in the log of calls. */
import type { GatewayError } from "@/server/base/errors";
import { languageOf } from "@/server/base/language";
import type { FlatLog } from "@/server/base/log";
import type { Redact } from "@/server/base/redactor";
import type { CallRecord, Calls, ModelHours } from "@/server/calls";
import type { Metrics } from "@/server/domain/metrics";
import { keptMessage } from "../responses/kept-message";
import { attemptLine, attemptRecord } from "./attempt-line";
import type { OpenCall } from "./call";

export type RecordDeps = {
  calls: Calls;
  modelHours: Pick<ModelHours, "note">;
  /** The log of the calls' lines. */
  callLog: FlatLog;
  metrics: Metrics;
  /** Removes the credentials that this process has decrypted. */
  redact: Redact;
};

/** The redaction and the language of text for the call's client. */
export const outwardOf = ({ redact }: Pick<RecordDeps, "redact">, { request }: OpenCall) => ({
  redact,
  language: languageOf(request.headers.get("accept-language")),
});

/** How and when a call ended. */
type CallOutcome = Pick<
  CallRecord,
  "status" | "error" | "errorMessage" | "startedAt" | "firstTokenMs" | "elapsedMs"
>;

/** The call's record. null: the call came without a known key, and belongs to no account. */
function recordOf(
  endpointName: string,
  { requestId, logFields: facts }: OpenCall,
  ending: CallOutcome,
): CallRecord | null {
  const { accountId, keyId } = facts;
  if (accountId === undefined || keyId === undefined) {
    return null;
  }
  return {
    requestId,
    accountId,
    keyId,
    endpoint: facts.path ?? endpointName,
    modelId: facts.model ?? null,
    channelId: facts.channelId ?? null,
    // The task's charge belongs to the call that ordered it; other calls only read a task.
    taskId: facts.frozen === undefined ? null : (facts.taskId ?? null),
    ignored: facts.ignored ?? null,
    isStream: facts.stream ?? false,
    address: facts.address ?? null,
    ...ending,
  };
}

/** The log line of an ended call, with all its facts. */
function lineOf(endpointName: string, call: OpenCall, { status, firstTokenMs, elapsedMs }: CallOutcome) {
  const facts = call.logFields;
  return {
    ...facts,
    ignored: facts.ignored?.map(({ member }) => member).join(", "),
    // A name of no model may be any text of the body.
    model: status === 404 ? undefined : facts.model,
    firstTokenMs: firstTokenMs ?? undefined,
    requestId: call.requestId,
    endpoint: endpointName,
    status,
    elapsedMs,
    attempts: call.attempts.map(attemptLine),
  };
}

/**
 * Counts an ended call in the metrics. The model is given only if an upstream was asked for it: otherwise its name may
 * be any text.
 */
function measure(
  metrics: Metrics,
  { endpoint: name, call, ending }: { endpoint: string; call: OpenCall; ending: CallOutcome },
): void {
  const { error, firstTokenMs, elapsedMs } = ending;
  if (error !== null) {
    metrics.errors.inc({ endpoint: name, error });
  }
  const attempt = call.attempts.at(-1);
  if (attempt) {
    const { operation, modelId } = attempt;
    metrics.callEnded({ operation, modelId, error: error ?? "", firstMs: firstTokenMs, elapsedMs });
  }
}

type Ended = {
  call: OpenCall;
  failure: GatewayError | null;
  times: Omit<CallOutcome, "error" | "errorMessage">;
};

/**
 * Counts an ended call among its model's. Only failures from 500 on are no fault of the client, also in a stream, whose
 * own status is 200: a client that hangs up in it has stopped a model that works.
 */
function countOfModel(
  hours: RecordDeps["modelHours"],
  { call: { model, logFields }, failure, times: { status, firstTokenMs, elapsedMs } }: Ended,
) {
  if (!model) {
    return;
  }
  hours.note({
    modelId: model.id,
    isOk: status < 500 && (failure === null || failure.status < 500),
    latencyMs: status < 400 && model.kind !== "chat" ? elapsedMs : firstTokenMs,
    outputTokens: firstTokenMs === null ? 0 : (logFields.outputTokens ?? 0),
    outputMs: firstTokenMs === null ? 0 : elapsedMs - firstTokenMs,
  });
}

/** An error also for a stream whose charge failed: it sent its 200 long before. */
const writeLine = (log: FlatLog, line: ReturnType<typeof lineOf>): void =>
  log[line.status >= 500 || (line.outcome && line.err !== undefined) ? "error" : "info"](line, "request");

/** Writes an ended call down, once. `failure`: the refusal, or the error that broke a stream off. */
export function recordCall(
  deps: RecordDeps,
  { endpoint, call, failure, times }: Ended & { endpoint: string },
): void {
  const ending = {
    ...times,
    error: failure?.slug ?? null,
    errorMessage: failure && keptMessage(failure, outwardOf(deps, call)),
  };
  writeLine(deps.callLog, lineOf(endpoint, call, ending));
  measure(deps.metrics, { endpoint, call, ending });
  countOfModel(deps.modelHours, { call, failure, times });
  const record = recordOf(endpoint, call, ending);
  if (record) {
    deps.calls.record(record, call.attempts.map(attemptRecord));
  }
}
