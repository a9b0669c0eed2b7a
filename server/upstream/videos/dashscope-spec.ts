/** The limits of Wan models, and DashScope's request form (text-to-video API reference). Pure. */

import { errorMessages } from "@/server/base/error-messages";
import type { AspectRatio, Resolution } from "@/server/domain/enums";
import type { VideoSpec } from "./video-upstream";

/** Up to Wan 2.6, a request names the exact size. 480p has no 4:3 and no 3:4. */
const sizes: Record<Resolution, Partial<Record<AspectRatio, string>>> = {
  "480p": { "16:9": "832*480", "9:16": "480*832", "1:1": "624*624" },
  "720p": { "16:9": "1280*720", "9:16": "720*1280", "1:1": "960*960", "4:3": "1088*832", "3:4": "832*1088" },
  "1080p": {
    "16:9": "1920*1080",
    "9:16": "1080*1920",
    "1:1": "1440*1440",
    "4:3": "1632*1248",
    "3:4": "1248*1632",
  },
};

/** `durations` in seconds. `bySize` false: resolution and ratio are two parameters (Wan 2.7 and later). */
type Family = { resolutions: Resolution[]; durations: number[]; bySize: boolean };

const families: [RegExp, Family][] = [
  [/^wanx?2\.1-t2v-turbo/, { resolutions: ["480p", "720p"], durations: [5], bySize: true }],
  [/^wanx?2\.1-t2v-plus/, { resolutions: ["720p"], durations: [5], bySize: true }],
  [/^wanx?2\.2-/, { resolutions: ["480p", "1080p"], durations: [5], bySize: true }],
  [/^wanx?2\.5-/, { resolutions: ["480p", "720p", "1080p"], durations: [5, 10], bySize: true }],
  [/^wanx?2\.6-/, { resolutions: ["720p", "1080p"], durations: [5, 10, 15], bySize: true }],
];

/** Models outside the table use the newest form; the vendor checks their own limits. */
const newest: Family = { resolutions: ["720p", "1080p"], durations: [5, 10, 15], bySize: false };

const familyOf = (model: string): Family => families.find(([name]) => name.test(model))?.[1] ?? newest;

/** The exact size in a request; null if the request names resolution and ratio. */
export const sizeFor = ({ model, resolution, aspectRatio }: VideoSpec): string | null =>
  (familyOf(model).bySize && sizes[resolution][aspectRatio ?? "16:9"]) || null;

/** null: the model can make it. Otherwise the reason for the client. */
export function refuseForDashscope({ model, resolution, durationSeconds, aspectRatio }: VideoSpec) {
  const family = familyOf(model);
  if (!family.resolutions.includes(resolution)) {
    return errorMessages.noParameter({
      name: "resolution",
      value: resolution,
      allowed: family.resolutions.join(", "),
    });
  }
  if (!family.durations.includes(durationSeconds)) {
    return errorMessages.noParameter({
      name: "duration",
      value: durationSeconds,
      allowed: family.durations.join(", "),
    });
  }
  if (family.bySize && aspectRatio && !sizes[resolution][aspectRatio]) {
    return errorMessages.noParameter({ name: `aspect_ratio (${resolution})`, value: aspectRatio });
  }
  return null;
}

/**
 * The body of a submission. Always sets size and duration: the defaults differ by model, and some are expensive.
 * Rewriting the prompt is the vendor's own default; its watermark is switched off.
 */
export function toDashscopeBody({ model, prompt, resolution, durationSeconds, aspectRatio }: VideoSpec) {
  const shape = familyOf(model).bySize
    ? { size: sizes[resolution][aspectRatio ?? "16:9"] }
    : { resolution: resolution.replace("p", "P"), ...(aspectRatio && { ratio: aspectRatio }) };
  return {
    model,
    input: { prompt },
    parameters: { ...shape, duration: durationSeconds, prompt_extend: true, watermark: false },
  };
}
