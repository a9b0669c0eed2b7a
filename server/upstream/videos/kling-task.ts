/** Kling's answers (general information, error codes; text to video). Pure. */

import { z } from "zod";
import { failures } from "@/server/domain/task-failures";
import { readPolled, readSubmitted, type VendorAnswer } from "./answer";
import { blameOf } from "./failure";
import { readFileUrl } from "./file-url";
import { readJson } from "./read-json";
import { readState } from "./status-words";
import type { Polled, Submitted } from "./video-upstream";

const Envelope = z.looseObject({
  code: z.number(),
  message: z.string().nullish().catch(null),
});

/** The vendor's own error for a call, whatever the status. null: none, or success. */
function readRefusal(
  answer: VendorAnswer,
): { code: number; message: string; retryAfterMs: number | null } | null {
  const envelope = answer.kind === "answered" ? readJson(answer.text, Envelope) : null;
  if (answer.kind !== "answered" || !envelope || envelope.code === 0) {
    return null;
  }
  const message = `${envelope.code} ${envelope.message || failures.upstreamSilent.zh}`;
  return { code: envelope.code, message, retryAfterMs: answer.retryAfterMs };
}

/** 1200 to 1202: parameters and method. 1203: something does not exist: a model at a submission, a task at a poll. */
const REQUEST = [1200, 1201, 1202];
const UNKNOWN = 1203;
const POLICY = [1300, 1301];
/** Too many calls; too many tasks for the account's package. */
const FULL = [1302, 1303];
const UNAVAILABLE = 5001;
const INTERNAL = 5000;

const channelRefused = (code: string, message: string): Submitted => ({
  kind: "refused",
  fault: "channel",
  code,
  message,
});

/**
 * The meaning of an error code for a submission. Codes between 1000 and 1999 are refusals: of the request, of its
 * contents, of the load, and all others of the account, for which the vendor also sends 429 (1100 to 1102: in arrears,
 * its package empty). 5002 is an internal time-out, and an unlisted code may mean anything: the gateway then searches
 * for the task.
 */
function meaningOf(code: number, message: string): Submitted {
  if (REQUEST.includes(code)) {
    return { kind: "refused", fault: "request", code: "invalid_request", message };
  }
  if (POLICY.includes(code)) {
    return { kind: "refused", fault: "request", code: "content_policy", message };
  }
  if (FULL.includes(code) || code === UNAVAILABLE) {
    return channelRefused("upstream_capacity", message);
  }
  return code === INTERNAL || (code >= 1_000 && code < 2_000)
    ? channelRefused("upstream_error", message)
    : { kind: "unknown", message };
}

const Submission = z.looseObject({ data: z.looseObject({ task_id: z.string().min(1) }) });

const readTaskId = (text: string | null): string | null => readJson(text, Submission)?.data.task_id ?? null;

/** The result of a submission. Status 200 with an error code is an error, too. */
export function readKlingSubmitted(answer: VendorAnswer): Submitted {
  const refusal = readRefusal(answer);
  return refusal ? meaningOf(refusal.code, refusal.message) : readSubmitted(answer, readTaskId);
}

const Task = z.looseObject({
  data: z.looseObject({
    task_id: z.string(),
    task_status: z.string(),
    task_status_msg: z.string().nullish().catch(null),
    task_info: z.looseObject({ external_task_id: z.string().nullish() }).nullish().catch(null),
    task_result: z
      .looseObject({ videos: z.array(z.looseObject({ url: z.unknown().optional() })).nullish() })
      .nullish()
      .catch(null),
  }),
});

/** The task with this identifier of the gateway; null if the answer is about another task, or none. */
export function readKlingFound(answer: VendorAnswer, taskId: string): string | null {
  if (answer.kind !== "answered" || readRefusal(answer)) {
    return null;
  }
  const data = readJson(answer.text, Task)?.data;
  return data?.task_info?.external_task_id === taskId ? data.task_id : null;
}

function readTask(text: string | null, ref: string): Polled | null {
  const data = readJson(text, Task)?.data;
  if (!data || data.task_id !== ref) {
    return null;
  }
  const state = readState(data.task_status);
  switch (state) {
    case "completed":
      return {
        kind: "completed",
        url: readFileUrl(data.task_result?.videos?.[0]?.url),
        isServed: false,
      };
    case "failed":
    case "expired":
      return {
        kind: "failed",
        // A failure has no code, and its text serves as one only if it names a rule: "…risk control…".
        code: blameOf(data.task_status_msg) === "content_policy" ? "content_policy" : "upstream_error",
        message: data.task_status_msg || failures.upstreamFailed.zh,
      };
    case "cancelled":
      return { kind: "cancelled" };
    default:
      return { kind: "processing", progress: null, isQueued: state === "queued" };
  }
}

/** The state of the task. An error code says nothing about the task, unless the vendor does not know its identifier. */
export function readKlingPolled(answer: VendorAnswer, ref: string): Polled {
  const refusal = readRefusal(answer);
  if (!refusal) {
    return readPolled(answer, (text) => readTask(text, ref));
  }
  return refusal.code === UNKNOWN || REQUEST.includes(refusal.code)
    ? { kind: "lost" }
    : { kind: "transient", message: refusal.message, retryAfterMs: refusal.retryAfterMs };
}
