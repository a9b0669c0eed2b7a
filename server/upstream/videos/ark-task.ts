/** Ark's answers about a task. Pure. */

import { z } from "zod";
import { failures } from "@/server/domain/task-failures";
import { failureCode } from "./failure";
import { readFileUrl } from "./file-url";
import { readJson } from "./read-json";
import { readState } from "./status-words";
import type { Polled } from "./video-upstream";

const Task = z.looseObject({
  id: z.string().nullish(),
  status: z.string(),
  content: z.looseObject({ video_url: z.unknown().optional() }).nullish(),
  error: z.looseObject({ code: z.string().nullish(), message: z.string().nullish() }).nullish(),
});

const Submission = z.looseObject({ id: z.string().min(1) });

export const readArkRef = (text: string | null): string | null => readJson(text, Submission)?.id ?? null;

/** The state of the task. A completed task with a null `url` is an empty result: the `videos` room decides about it. */
export function readArkPoll(text: string | null, ref: string): Polled | null {
  const task = readJson(text, Task);
  if (!task || (task.id ?? ref) !== ref) {
    return null;
  }
  const state = readState(task.status);
  switch (state) {
    case "completed":
      return { kind: "completed", url: readFileUrl(task.content?.video_url), isServed: false };
    case "expired":
      return { kind: "failed", code: "upstream_expired", message: failures.upstreamExpired.zh };
    case "failed":
      return {
        kind: "failed",
        code: failureCode(task.error?.code),
        message: task.error?.message || task.error?.code || failures.upstreamFailed.zh,
      };
    case "cancelled":
      return { kind: "cancelled" };
    default:
      return { kind: "processing", progress: null, isQueued: state === "queued" };
  }
}
