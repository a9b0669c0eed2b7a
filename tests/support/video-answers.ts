import { expect } from "vitest";
import type { VendorAnswer } from "@/server/upstream/videos/answer";
import type { VideoSpec } from "@/server/upstream/videos/video-upstream";

export const answered = (
  status: number,
  body: unknown = null,
  retryAfterMs: number | null = null,
): VendorAnswer => ({
  ...{ kind: "answered", status, retryAfterMs },
  text: typeof body === "string" || body === null ? body : JSON.stringify(body),
});
export const silent = { kind: "silent", message: "reset" } as const;
export const unsent = { kind: "unsent", message: "refused" } as const;

const words = expect.any(String);
export const accepted = (ref: string) => ({ kind: "accepted", ref });
export const refused = (fault: "channel" | "request", code: string, message: string = words) => ({
  ...{ kind: "refused", fault, code, message },
});
export const unknown = (message: string = words) => ({ kind: "unknown", message });

export const working = (progress: number | null = null) => ({
  kind: "processing",
  progress,
  isQueued: false,
});
export const queued = { ...working(), isQueued: true };
export const failed = (code: string, message: string = words) => ({ kind: "failed", code, message });
export const completed = (url: string | null) => ({ kind: "completed", url, isServed: false });
export const transient = (message: string = words, retryAfterMs: number | null = null) => ({
  ...{ kind: "transient", message, retryAfterMs },
});
export const lost = { kind: "lost" };

export const specOf = (spec: Pick<VideoSpec, "model" | "durationSeconds" | "resolution">): VideoSpec => ({
  ...{ prompt: "a cat", aspectRatio: null, ...spec },
});
