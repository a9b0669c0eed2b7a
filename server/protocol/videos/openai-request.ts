/** A submission in OpenAI's form (`POST /v1/videos`), in JSON or as a form. */
import { z } from "zod";
import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import { folded } from "../acted-on";
import type { JsonObject } from "../fields";
import { explainFailure, requireModel } from "../json-object";
import { readJsonText } from "../json-text";
import { type Form, readFields } from "../multipart/form";
import type { Part } from "../multipart/parts";
import { promptField, usual, type VideoRequest, videoFields } from "./request";
import { knownSizes, shapeOf } from "./sizes";

/** As the catalog has them: which of them a model is sold in, its prices say. */
const MAX_SECONDS = 9_999;

const Seconds = z.union([
  z.number().int().min(1).max(MAX_SECONDS),
  z
    .string()
    .regex(/^(?!0+$)\d{1,4}$/)
    .transform(Number),
]);

export const videoSchema = z.looseObject({
  model: videoFields.model,
  prompt: videoFields.prompt,
  seconds: Seconds.nullish(),
  size: z
    .string()
    .refine((size) => shapeOf(size) !== null)
    .meta({ enum: [...knownSizes] })
    .nullish(),
});

const explanations = {
  model: details.mustBeText("model"),
  prompt: promptField,
  seconds: details.mustBeInteger("seconds", { min: 1, max: MAX_SECONDS }),
  size: details.mustBeOneOf("size", knownSizes),
};

/** What guides a video beside its prompt: nothing here reads a picture, and one that is left out would not be noticed. */
const REFERENCE = "input_reference";

/** Throws the 400s of spec section 7, the first that applies. A member that is null counts as absent. */
function parseFields(fields: JsonObject): VideoRequest {
  requireModel(fields);
  const parsed = videoSchema.safeParse(fields);
  if (!parsed.success) {
    throw explainFailure(parsed.error, explanations);
  }
  if (fields[REFERENCE] !== undefined && fields[REFERENCE] !== null) {
    throw new GatewayError("invalidParameters", details.onlyFromPrompt(REFERENCE));
  }
  const { model, prompt, seconds, size } = parsed.data;
  const shape = (size && shapeOf(size)) || usual.shape;
  const durationSeconds = seconds ?? usual.durationSeconds;
  return {
    model,
    prompt,
    durationSeconds,
    ...shape,
    // Of what counts alone: a form and JSON that say the same are the same.
    canonical: JSON.stringify({ model, prompt, durationSeconds, ...shape }),
  };
}

/** Throws the 400s of spec section 7. */
export const parseOpenaiVideo = (raw: string): VideoRequest => parseFields(readJsonText(raw).fields);

const isReference = ({ name }: Part) => folded(name).split("[", 1)[0] === REFERENCE;

/** Throws the 400s of spec section 7, and for a field that stands there twice, or is a file. */
export function parseOpenaiVideoForm(form: Form): VideoRequest {
  const { texts } = readFields(form);
  // Only whether there is a reference counts, in any of its spellings.
  return parseFields({ ...texts, ...(form.parts.some(isReference) && { [REFERENCE]: true }) });
}
