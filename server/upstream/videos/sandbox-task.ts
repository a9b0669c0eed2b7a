/** The sandbox's tasks. A task's reference holds all of its data, so any process can compute its state. Pure. */

import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { aspectRatios } from "@/server/domain/enums";
import { failures } from "@/server/domain/task-failures";
import { readJson } from "./read-json";
import type { Polled, VideoSpec } from "./video-upstream";

/** The video models of the sandbox, and their videos. */
export const sandboxVideoModels = {
  "sandbox-video-turbo": { resolution: "720p", durationSeconds: 5 },
  "sandbox-video-plus": { resolution: "1080p", durationSeconds: 5 },
} as const;

const QUEUED_MS = 1_000;
const FAILS_AT_MS = 3_000;
const DONE_AT_MS = 6_000;
const STALL_PERCENT = 50;

const Ref = z.object({
  /** Makes it different from the reference of any other task. */
  taskId: z.string(),
  startedAt: z.number(),
  outcome: z.enum(["complete", "fail", "stall", "cancel"]),
  resolution: z.enum(["720p", "1080p"]),
  // A task of an earlier version has none.
  aspectRatio: z.enum(aspectRatios).default("16:9"),
});
export type SandboxTask = z.infer<typeof Ref>;

export const readSandboxRef = (ref: string): SandboxTask | null => readJson(ref, Ref);

/** Words in square brackets choose how a task ends, so that users can see every state. */
export function outcomeOf(prompt: string): SandboxTask["outcome"] | "reject" {
  const [, word] = /\[(reject|fail|stall|cancel)\]/i.exec(prompt) ?? [];
  return word ? (word.toLowerCase() as "reject" | "fail" | "stall" | "cancel") : "complete";
}

/** null: the model can make it. Otherwise the reason for the client. */
export function refuseForSandbox({ model, resolution, durationSeconds }: VideoSpec) {
  const made = Object.entries(sandboxVideoModels).find(([name]) => name === model)?.[1];
  if (!made) {
    return errorMessages.noSandboxModel(model);
  }
  if (resolution === made.resolution && durationSeconds === made.durationSeconds) {
    return null;
  }
  return errorMessages.noClip({ wanted: { durationSeconds, resolution }, allowed: made });
}

/** The state of a task that began `elapsedMs` ago. */
export function sandboxStateAt(outcome: SandboxTask["outcome"], elapsedMs: number): Polled {
  if (outcome === "fail" && elapsedMs >= FAILS_AT_MS) {
    return { kind: "failed", code: "content_policy", message: failures.sandboxFailed.zh };
  }
  if (outcome === "cancel" && elapsedMs >= FAILS_AT_MS) {
    return { kind: "cancelled" };
  }
  if (outcome === "complete" && elapsedMs >= DONE_AT_MS) {
    return { kind: "completed", url: null, isServed: true };
  }
  const percent = Math.floor((Math.max(0, elapsedMs) / DONE_AT_MS) * 100);
  const progress = Math.min(percent, outcome === "stall" ? STALL_PERCENT : 99);
  return { kind: "processing", progress, isQueued: elapsedMs < QUEUED_MS };
}
