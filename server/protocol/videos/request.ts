import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import type { Texts } from "@/server/base/language";
import {
  type AspectRatio,
  aspectRatios,
  durations,
  type Resolution,
  resolutions,
} from "@/server/domain/enums";
import { isJsonObject } from "../fields";
import { explainFailure, requireModel } from "../json/object";
import { readJsonText } from "../json/text";

/** A submission (spec 4.5) with its defaults. */
export type VideoRequest = {
  model: string;
  prompt: string;
  durationSeconds: number;
  resolution: Resolution;
  /** null: the client leaves it open. */
  aspectRatio: AspectRatio | null;
  /** The same text for every spelling of the same body, to compare submissions with one `Idempotency-Key`. */
  canonical: string;
};

const MAX_PROMPT_CHARACTERS = 2_000;

/** Characters as a reader counts them: an emoji is one, although it is two UTF-16 units. */
const isShort = (text: string) =>
  text.length <= 2 * MAX_PROMPT_CHARACTERS && [...text].length <= MAX_PROMPT_CHARACTERS;

/** PostgreSQL stores no NUL, and no vendor wants one. */
const isPrompt = (text: string) => text.trim() !== "" && !text.includes("\0") && isShort(text);

/** The fields of both forms of a submission. */
export const videoFields = {
  model: z.string().min(1).max(256),
  prompt: z.string().refine(isPrompt).meta({ minLength: 1, maxLength: MAX_PROMPT_CHARACTERS }),
};

/** The rule for prompts, as an error text. */
export const promptField: Texts = errorMessages.mustBeTextOf("prompt", {
  min: 1,
  max: MAX_PROMPT_CHARACTERS,
});

/** The defaults of a submission. */
export const usual = {
  durationSeconds: 5,
  shape: { resolution: "720p", aspectRatio: null },
} as const;

export const videoTaskSchema = z.looseObject({
  ...videoFields,
  duration: z.literal(durations).nullish(),
  resolution: z.enum(resolutions).nullish(),
  aspect_ratio: z.enum(aspectRatios).nullish(),
});

const explanations: Record<string, Texts> = {
  model: errorMessages.mustBeText("model"),
  prompt: promptField,
  duration: errorMessages.mustBeOneOf("duration", durations),
  resolution: errorMessages.mustBeOneOf("resolution", resolutions),
  aspect_ratio: errorMessages.mustBeOneOf("aspect_ratio", aspectRatios),
};

/** Sorts members by their names, at every level. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (!isJsonObject(value)) {
    return value;
  }
  // As pairs: as members, one named `__proto__` would get lost, and one named `1` would move.
  const members = Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
  return { members: members.map(([name, member]) => [name, sorted(member)]) };
}

/** Throws the 400s of spec section 7, the first that applies. A null member counts as absent. */
export function parseVideoRequest(raw: string): VideoRequest {
  const { fields } = readJsonText(raw);
  requireModel(fields);
  const parsed = videoTaskSchema.safeParse(fields);
  if (!parsed.success) {
    throw explainFailure(parsed.error, explanations);
  }
  const { model, prompt, duration, resolution, aspect_ratio } = parsed.data;
  return {
    model,
    prompt,
    durationSeconds: duration ?? usual.durationSeconds,
    resolution: resolution ?? usual.shape.resolution,
    aspectRatio: aspect_ratio ?? usual.shape.aspectRatio,
    canonical: JSON.stringify(sorted(fields)),
  };
}
