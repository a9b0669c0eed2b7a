/** The limits of Kling's models, and its request form (text to video). Pure. */

import { errorMessages } from "@/server/base/error-messages";
import type { Texts } from "@/server/base/language";
import type { AspectRatio, Resolution } from "@/server/domain/enums";
import type { VideoSpec } from "./video-upstream";

/** The vendor has no resolutions, but a mode for each of these. */
const modes: Partial<Record<Resolution, string>> = { "720p": "std", "1080p": "pro" };

const ratios: readonly AspectRatio[] = ["16:9", "9:16", "1:1"];

/** Seconds by the model's name; for other models the vendor decides. */
const seconds: [RegExp, { allowed: string; takes: (duration: number) => boolean }][] = [
  [/^kling-v[12](-|$)/, { allowed: "5, 10", takes: (duration) => duration === 5 || duration === 10 }],
  [/^kling-v3/, { allowed: "3-15", takes: (duration) => duration >= 3 && duration <= 15 }],
];

/** Models that can make sound, at a separate price; other models do not know the parameter. */
const CAN_SOUND = /^kling-v(2-6|[3-9])/;

/** null: the model can make it. Otherwise the reason for the client. */
export function refuseForKling({ model, resolution, durationSeconds, aspectRatio }: VideoSpec): Texts | null {
  if (!modes[resolution]) {
    return errorMessages.noParameter({
      name: "resolution",
      value: resolution,
      allowed: Object.keys(modes).join(", "),
    });
  }
  const limit = seconds.find(([name]) => name.test(model))?.[1];
  if (limit && !limit.takes(durationSeconds)) {
    return errorMessages.noParameter({ name: "duration", value: durationSeconds, allowed: limit.allowed });
  }
  return aspectRatio === null || ratios.includes(aspectRatio)
    ? null
    : errorMessages.noParameter({ name: "aspect_ratio", value: aspectRatio, allowed: ratios.join(", ") });
}

/**
 * The body of a submission. Seconds are text. `external_task_id` is the gateway's: the vendor accepts each only once,
 * and finds its task by it.
 */
export const toKlingBody = (spec: VideoSpec, taskId: string) => ({
  model_name: spec.model,
  prompt: spec.prompt,
  mode: modes[spec.resolution],
  duration: String(spec.durationSeconds),
  aspect_ratio: spec.aspectRatio ?? "16:9",
  ...(CAN_SOUND.test(spec.model) && { sound: "off" }),
  external_task_id: taskId,
});
