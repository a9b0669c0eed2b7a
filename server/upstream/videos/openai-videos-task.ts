/** The OpenAI videos shape, as gateways and self-hosted servers speak it. Pure. */

import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import type { Texts } from "@/server/base/language";
import { withoutSecrets } from "@/server/base/redactor";
import type { AspectRatio, Resolution } from "@/server/domain/enums";
import { failures } from "@/server/domain/task-failures";
import { failureCode } from "./failure";
import { readFileUrl } from "./file-url";
import { readJson } from "./read-json";
import { readState } from "./status-words";
import type { Polled, VideoSpec } from "./video-upstream";

const sizes: Partial<Record<Resolution, Partial<Record<AspectRatio, string>>>> = {
  "720p": { "16:9": "1280x720", "9:16": "720x1280" },
  "1080p": { "16:9": "1920x1080", "9:16": "1080x1920" },
};

/** null: the shape has a size for it. Otherwise the reason for the client. */
export function refuseForOpenai({ resolution, aspectRatio }: VideoSpec): Texts | null {
  const ratios = sizes[resolution];
  if (!ratios) {
    return errorMessages.noParameter({
      name: "resolution",
      value: resolution,
      allowed: Object.keys(sizes).join(", "),
    });
  }
  return aspectRatio === null || ratios[aspectRatio]
    ? null
    : errorMessages.noParameter({ name: "aspect_ratio", value: aspectRatio, allowed: "16:9, 9:16" });
}

/** The body of a submission. Seconds are text in this shape. */
export const toOpenaiBody = ({ model, prompt, resolution, durationSeconds, aspectRatio }: VideoSpec) => ({
  model,
  prompt,
  seconds: String(durationSeconds),
  size: sizes[resolution]?.[aspectRatio ?? "16:9"],
});

const Submission = z.looseObject({ id: z.string().min(1) });

export const readOpenaiRef = (text: string | null): string | null => readJson(text, Submission)?.id ?? null;

const Place = z.looseObject({ url: z.unknown().optional() }).nullish().catch(null);
const Video = z.looseObject({
  id: z.string().nullish(),
  status: z.string(),
  progress: z.number().nullish().catch(null),
  error: z.looseObject({ code: z.string().nullish(), message: z.string().nullish() }).nullish().catch(null),
  url: z.unknown().optional(),
  video_url: z.unknown().optional(),
  result_url: z.unknown().optional(),
  data: Place,
  metadata: Place,
});

type Video = z.infer<typeof Video>;

/**
 * Finds the address of the file; servers use different members (ArcReel/ArcReel#1889). An address on the channel's own
 * host that ends in `/content` requires the channel's key (Wei-Shaw/sub2api#4494), and one that contains the key must
 * stay private: then the gateway serves the file itself.
 */
function findUrl(video: Video, { origin, secret }: { origin: string; secret: string }): string | null {
  const places = [video.url, video.video_url, video.data?.url, video.metadata?.url, video.result_url];
  const needsKey = (url: string) =>
    (new URL(url).origin === origin && /\/content\/?$/.test(new URL(url).pathname)) ||
    withoutSecrets(url, [secret]) !== url;
  const fileUrl = places.map(readFileUrl).find((url) => url !== null);
  return fileUrl && !needsKey(fileUrl) ? fileUrl : null;
}

/**
 * The state of the task, as its record states it; the record does not show whether a file without an address is ready.
 * `channel`: the task's.
 */
export function readOpenaiPoll(
  text: string | null,
  { ref, channel }: { ref: string; channel: { origin: string; secret: string } },
) {
  const video = readJson(text, Video);
  if (!video || (video.id ?? ref) !== ref) {
    return null;
  }
  const state = readState(video.status);
  const { progress, error } = video;
  switch (state) {
    case "completed":
      return { kind: "completed", url: findUrl(video, channel), isServed: false } satisfies Polled;
    case "expired":
      return {
        kind: "failed",
        code: "upstream_expired",
        message: failures.upstreamExpired.zh,
      } satisfies Polled;
    case "failed": {
      const message = error?.message || error?.code || failures.upstreamFailed.zh;
      return { kind: "failed", code: failureCode(error?.code), message } satisfies Polled;
    }
    case "cancelled":
      return { kind: "cancelled" } satisfies Polled;
    default: {
      const share = typeof progress === "number" ? Math.min(100, Math.max(0, progress)) : null;
      return { kind: "processing", progress: share, isQueued: state === "queued" } satisfies Polled;
    }
  }
}
