/** The limits of Seedance models, and Ark's request form (contents/generations/tasks). Pure. */

import { errorMessages } from "@/server/base/error-messages";
import type { Texts } from "@/server/base/language";
import type { Resolution } from "@/server/domain/enums";
import type { VideoSpec } from "./video-upstream";

/** Seconds and resolutions by generation. Endpoint names (`ep-…`) do not show the model: there the vendor decides. */
const limits: [RegExp, { min: number; max: number; resolutions: Resolution[] }][] = [
  [/seedance-1-0/, { min: 2, max: 12, resolutions: ["480p", "720p", "1080p"] }],
  [/seedance-1-5/, { min: 4, max: 12, resolutions: ["480p", "720p", "1080p"] }],
  [/seedance-2-0-pro/, { min: 4, max: 15, resolutions: ["480p", "720p", "1080p"] }],
  [/seedance-2-0/, { min: 4, max: 15, resolutions: ["480p", "720p"] }],
];

/** null: the model can make it. Otherwise the reason for the client. */
export function refuseForArk({ model, durationSeconds, resolution }: VideoSpec): Texts | null {
  const limit = limits.find(([name]) => name.test(model))?.[1];
  if (limit && (durationSeconds < limit.min || durationSeconds > limit.max)) {
    return errorMessages.noParameter({
      name: "duration",
      value: durationSeconds,
      allowed: `${limit.min}-${limit.max}`,
    });
  }
  if (limit && !limit.resolutions.includes(resolution)) {
    return errorMessages.noParameter({
      name: "resolution",
      value: resolution,
      allowed: limit.resolutions.join(", "),
    });
  }
  return null;
}

const commands =
  "resolution|rs|ratio|rt|duration|dur|frames|framespersecond|fps|seed|camerafixed|cf|watermark|wm|generateaudio|draft";

/**
 * Removes commands from a prompt: Ark reads `--dur 10` in a prompt as a parameter, and a client would get a video that
 * differs from its quote. Commands go with their values; any other `--` becomes the dash that it means in prose, so
 * that no unknown command is left.
 */
export function stripCommands(prompt: string): string {
  return prompt
    .replace(new RegExp(`-{2,}\\s*(?:${commands})(?![a-z])[=:\\s]*(?:(?<=[=:\\s])[^\\s-]\\S*)?`, "gi"), " ")
    .replace(/-{2,}/g, "—")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** The body of a submission. Sets everything that was quoted: 1.0 pro makes 1080p by default. */
export const toArkBody = ({ model, prompt, resolution, durationSeconds, aspectRatio }: VideoSpec) => ({
  model,
  content: [{ type: "text", text: stripCommands(prompt) }],
  resolution,
  ratio: aspectRatio ?? "16:9",
  duration: durationSeconds,
  watermark: false,
});
