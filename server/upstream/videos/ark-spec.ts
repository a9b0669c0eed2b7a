/** What Seedance models can make, and how Ark wants it said (contents/generations/tasks). Pure. */

import { details } from "@/server/base/details";
import type { Resolution } from "@/server/base/facts";
import type { Texts } from "@/server/base/language";
import type { VideoSpec } from "./video-upstream";

/** Seconds and resolutions by generation. Names of endpoints (`ep-…`) say nothing: the vendor tells. */
const limits: [RegExp, { min: number; max: number; resolutions: Resolution[] }][] = [
  [/seedance-1-0/, { min: 2, max: 12, resolutions: ["480p", "720p", "1080p"] }],
  [/seedance-1-5/, { min: 4, max: 12, resolutions: ["480p", "720p", "1080p"] }],
  [/seedance-2-0-pro/, { min: 4, max: 15, resolutions: ["480p", "720p", "1080p"] }],
  [/seedance-2-0/, { min: 4, max: 15, resolutions: ["480p", "720p"] }],
];

/** null: the model can make it. Else what it cannot, for the client. */
export function refuseForArk({ model, durationSeconds, resolution }: VideoSpec): Texts | null {
  const limit = limits.find(([name]) => name.test(model))?.[1];
  if (limit && (durationSeconds < limit.min || durationSeconds > limit.max)) {
    return details.noParameter({
      name: "duration",
      value: durationSeconds,
      known: `${limit.min}-${limit.max}`,
    });
  }
  if (limit && !limit.resolutions.includes(resolution)) {
    return details.noParameter({
      name: "resolution",
      value: resolution,
      known: limit.resolutions.join(", "),
    });
  }
  return null;
}

const commands =
  "resolution|rs|ratio|rt|duration|dur|frames|framespersecond|fps|seed|camerafixed|cf|watermark|wm|generateaudio|draft";

/**
 * A prompt that cannot command: Ark reads `--dur 10` in a prompt as a parameter, and a client would get what it was
 * not quoted for. Commands go with their values; what other `--` there is becomes the dash that it stands for in
 * prose, so that no command unknown here is left.
 */
export function stripCommands(prompt: string): string {
  return prompt
    .replace(new RegExp(`-{2,}\\s*(?:${commands})(?![a-z])[=:\\s]*(?:(?<=[=:\\s])[^\\s-]\\S*)?`, "gi"), " ")
    .replace(/-{2,}/g, "—")
    .replace(/ {2,}/g, " ")
    .trim();
}

/** The body of a submission. All of what was quoted is said: 1.0 pro makes 1080p by default. */
export const toArkBody = ({ model, prompt, resolution, durationSeconds, aspectRatio }: VideoSpec) => ({
  model,
  content: [{ type: "text", text: stripCommands(prompt) }],
  resolution,
  ratio: aspectRatio ?? "16:9",
  duration: durationSeconds,
  watermark: false,
});
