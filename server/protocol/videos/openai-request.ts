/** A submission in OpenAI's form (`POST /v1/videos`), in JSON or as a form. */
import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { JsonObject } from "../fields";
import { explainFailure, requireModel } from "../json/object";
import { readJsonText } from "../json/text";
import { folded } from "../known-fields";
import { type Form, readFields } from "../multipart/form";
import type { FormPart } from "../multipart/parts";
import { promptField, usual, type VideoRequest, videoFields } from "./request";
import { knownSizes, shapeOf } from "./sizes";

/** The catalog's limit; a model's prices decide which lengths it sells. */
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
  model: errorMessages.mustBeText("model"),
  prompt: promptField,
  seconds: errorMessages.mustBeInteger("seconds", { min: 1, max: MAX_SECONDS }),
  size: errorMessages.mustBeOneOf("size", knownSizes),
};

/**
 * The member for input that guides a video in addition to its prompt: no code here reads a picture, and the client
 * would not notice a dropped one.
 */
const REFERENCE = "input_reference";

/** Throws the 400s of spec section 7, the first that applies. A null member counts as absent. */
function parseFields(fields: JsonObject): VideoRequest {
  requireModel(fields);
  const parsed = videoSchema.safeParse(fields);
  if (!parsed.success) {
    throw explainFailure(parsed.error, explanations);
  }
  if (fields[REFERENCE] !== undefined && fields[REFERENCE] !== null) {
    throw new GatewayError("invalidParameters", errorMessages.onlyFromPrompt(REFERENCE));
  }
  const { model, prompt, seconds, size } = parsed.data;
  const shape = (size && shapeOf(size)) || usual.shape;
  const durationSeconds = seconds ?? usual.durationSeconds;
  return {
    model,
    prompt,
    durationSeconds,
    ...shape,
    // Only members that matter: a form and JSON with the same content are equal.
    canonical: JSON.stringify({ model, prompt, durationSeconds, ...shape }),
  };
}

/** Throws the 400s of spec section 7. */
export const parseOpenaiVideo = (raw: string): VideoRequest => parseFields(readJsonText(raw).fields);

const isReference = ({ name }: FormPart) => folded(name).split("[", 1)[0] === REFERENCE;

/** Throws the 400s of spec section 7, and for a field that is repeated, or is a file. */
export function parseOpenaiVideoForm(form: Form): VideoRequest {
  const { texts } = readFields(form);
  // Only the presence of a reference matters, in any spelling.
  return parseFields({ ...texts, ...(form.parts.some(isReference) && { [REFERENCE]: true }) });
}
