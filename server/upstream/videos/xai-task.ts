/** xAI's videos (docs.x.ai, video generation; the REST reference): requests and answers. Pure. */

import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import type { Texts } from "@/server/base/language";
import { type Resolution, resolutions } from "@/server/domain/enums";
import { failures } from "@/server/domain/task-failures";
import { readPolled, readSubmitted, type VendorAnswer } from "./answer";
import { blameOf, failureCode, readError } from "./failure";
import { readFileUrl } from "./file-url";
import { readJson } from "./read-json";
import { readState } from "./status-words";
import type { Polled, Submitted, VideoSpec } from "./video-upstream";

const MAX_SECONDS = 15;

/** By the model; for others the vendor decides. 1.5 and later models also make 1080p. */
const resolutionsOf: [RegExp, readonly Resolution[]][] = [
  [/^grok-imagine-video(?!-\d)/, ["480p", "720p"]],
  [/^grok-imagine-video-/, resolutions],
];

/**
 * null: the model can make it. Otherwise the reason for the client. The vendor knows all of the gateway's aspect
 * ratios.
 */
export function refuseForXai({ model, resolution, durationSeconds }: VideoSpec): Texts | null {
  if (durationSeconds > MAX_SECONDS) {
    return errorMessages.noParameter({
      name: "duration",
      value: durationSeconds,
      allowed: `1-${MAX_SECONDS}`,
    });
  }
  const resolutions = resolutionsOf.find(([name]) => name.test(model))?.[1];
  return !resolutions || resolutions.includes(resolution)
    ? null
    : errorMessages.noParameter({ name: "resolution", value: resolution, allowed: resolutions.join(", ") });
}

/** The body of a submission. Sets everything that was quoted: 480p and 8 seconds are the vendor's own defaults. */
export const toXaiBody = ({ model, prompt, resolution, durationSeconds, aspectRatio }: VideoSpec) => ({
  model,
  prompt,
  duration: durationSeconds,
  aspect_ratio: aspectRatio ?? "16:9",
  resolution,
});

/** Kling and DashScope put a `request_id` into every answer, in addition to the content. */
const isEnvelope = (body: object) => ["code", "data", "output", "error"].some((name) => name in body);

const Submission = z.looseObject({ request_id: z.string().min(1) }).refine((body) => !isEnvelope(body));

const readXaiRef = (text: string | null): string | null => readJson(text, Submission)?.request_id ?? null;

/** xAI's errors have a sentence where others have a code; a word in either shows a refusal by moderation. */
function moderated(answer: VendorAnswer): string | null {
  if (answer.kind !== "answered" || answer.status < 400 || answer.status >= 500) {
    return null;
  }
  const { code, message } = readError(answer.text);
  return /moderat/i.test(`${code} ${message}`) ? message : null;
}

/** The result of a submission. */
export function readXaiSubmitted(answer: VendorAnswer): Submitted {
  const message = moderated(answer);
  return message === null
    ? readSubmitted(answer, readXaiRef)
    : { kind: "refused", fault: "request", code: "content_policy", message };
}

const Task = z.looseObject({
  request_id: z.string().nullish(),
  id: z.string().nullish(),
  status: z.string().nullish(),
  progress: z.number().nullish().catch(null),
  video: z
    .looseObject({ url: z.unknown().optional(), respect_moderation: z.boolean().nullish().catch(null) })
    .nullish()
    .catch(null),
  error: z
    .union([z.looseObject({ code: z.string().nullish(), message: z.string().nullish() }), z.string()])
    .nullish()
    .catch(null),
});

const policy: Polled = { kind: "failed", code: "content_policy", message: failures.contentPolicy.zh };

/** The code may be missing, and the text shows what moderation did. */
function failed({
  code,
  message,
}: {
  code?: string | null | undefined;
  message?: string | null | undefined;
}): Polled {
  const isPolicy = blameOf(message) === "content_policy";
  return {
    kind: "failed",
    code: isPolicy ? "content_policy" : failureCode(code),
    message: message || code || failures.upstreamFailed.zh,
  };
}

function readTask(text: string | null, ref: string): Polled | null {
  const task = readJson(text, Task);
  if (!task || (task.request_id ?? task.id ?? ref) !== ref) {
    return null;
  }
  const { status, progress, video, error } = task;
  if (!status && !video) {
    return null;
  }
  // Finished tasks without a status have been seen.
  const state = status ? readState(status) : "completed";
  switch (state) {
    case "completed":
      return video?.respect_moderation === false
        ? policy
        : { kind: "completed", url: readFileUrl(video?.url), isServed: false };
    case "expired":
      return { kind: "failed", code: "upstream_expired", message: failures.upstreamExpired.zh };
    case "failed":
      return failed(typeof error === "string" ? { message: error } : (error ?? {}));
    case "cancelled":
      return { kind: "cancelled" };
    default:
      return {
        kind: "processing",
        progress: typeof progress === "number" ? Math.min(100, Math.max(0, progress)) : null,
        // "pending" is its only status until the end.
        isQueued: false,
      };
  }
}

/**
 * The state of the task. 202 means that it is not done, whatever the body says, and the body may be empty
 * (vercel/ai#17308). If moderation stops a task at the end, the vendor answers 400 (theopenco/llmgateway#3704).
 */
export function readXaiPolled(answer: VendorAnswer, ref: string): Polled {
  const message = moderated(answer);
  if (message !== null) {
    return { kind: "failed", code: "content_policy", message };
  }
  return readPolled(answer, (text) => {
    const isPending = answer.kind === "answered" && answer.status === 202;
    const read = readTask(text, ref);
    return isPending && read?.kind !== "processing"
      ? { kind: "processing", progress: null, isQueued: false }
      : read;
  });
}
