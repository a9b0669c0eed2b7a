/** DashScope's answers about a task. Pure. */

import { z } from "zod";
import { failures } from "@/server/domain/task-failures";
import { failureCode } from "./failure";
import { readFileUrl } from "./file-url";
import { readJson } from "./read-json";
import { readState } from "./status-words";
import type { Polled } from "./video-upstream";

const Task = z.looseObject({
  output: z.looseObject({
    task_id: z.string().nullish(),
    task_status: z.string(),
    orig_prompt: z.string().nullish(),
    video_url: z.unknown().optional(),
    code: z.string().nullish(),
    message: z.string().nullish(),
  }),
});

const Submission = z.looseObject({ output: z.looseObject({ task_id: z.string().min(1) }) });

export const readDashscopeRef = (text: string | null): string | null =>
  readJson(text, Submission)?.output.task_id ?? null;

/** The output of a task's record; null if there is none, or it is another task's. */
export function readDashscopeTask(text: string | null, ref: string) {
  const output = readJson(text, Task)?.output;
  return output && (output.task_id ?? ref) === ref ? output : null;
}

/**
 * The state of the task. A failure is in `output` of an answer with status 200. UNKNOWN is the vendor's word for a task
 * that does not exist or is older than a day. The `videos` room decides about a completed task without an address.
 */
export function readDashscopePoll(text: string | null, ref: string): Polled | null {
  const output = readDashscopeTask(text, ref);
  if (!output) {
    return null;
  }
  if (output.task_status === "UNKNOWN") {
    return { kind: "lost" };
  }
  const state = readState(output.task_status);
  switch (state) {
    case "completed":
      return { kind: "completed", url: readFileUrl(output.video_url), isServed: false };
    case "failed":
    case "expired":
      return {
        kind: "failed",
        code: state === "expired" ? "upstream_expired" : failureCode(output.code),
        message: output.message || output.code || failures.upstreamFailed.zh,
      };
    case "cancelled":
      return { kind: "cancelled" };
    default:
      return { kind: "processing", progress: null, isQueued: state === "queued" };
  }
}
