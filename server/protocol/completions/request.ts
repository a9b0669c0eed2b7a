import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { Texts } from "@/server/base/language";
import { asksForCost, type JsonObject, numberOf } from "../fields";
import { memberReader, requireModel } from "../json/object";
import { type JsonSource, readJsonText } from "../json/text";
import { scalarGuards } from "../scalars";

/** A request of OpenAI's older endpoint. Each of its texts becomes the only turn of a conversation. */
export type CompletionRequest = {
  fields: JsonObject;
  model: string;
  /** Each prompt is a separate call. */
  prompts: string[];
  /** The number of answers to each prompt. */
  answers: number;
  /** The text that should follow the answer. "": none. */
  suffix: string;
  isStream: boolean;
  wantsUsage: boolean;
  wantsCost: boolean;
  /** null: the client named none. */
  maxOutputTokens: number | null;
};

/** For all prompts together, as `n` in chat. */
const MOST_ANSWERS = 128;

const scalars = scalarGuards("completions");

export const completionSchema = z.looseObject({
  model: z.string().min(1).max(256),
  prompt: z.union([z.string().min(1), z.array(z.string().min(1)).min(1).max(MOST_ANSWERS)]),
  suffix: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  ...scalars.shape,
});

const explanations: Record<string, Texts> = {
  model: errorMessages.mustBeText("model"),
  prompt: errorMessages.completionPrompt(MOST_ANSWERS),
  suffix: errorMessages.mustBeText("suffix"),
  stream: errorMessages.mustBeBoolean("stream"),
  stream_options: errorMessages.streamOptions(),
  ...scalars.explanations,
};

/** Fields that no conversation can carry and that would change the answer. */
const isUnknown: Record<string, (value: unknown) => boolean> = {
  echo: (value) => value === true,
  logprobs: (value) => typeof value === "number",
  // Some vendors accept a text as a number, and bill all answers that they made.
  best_of: (value) => value !== undefined && value !== null && Number(value) !== 1,
};

const readMembers = memberReader(completionSchema, explanations);

/** Throws the 400s of spec section 7, the first that applies. */
export function parseCompletionRequest(source: JsonSource): CompletionRequest {
  const { fields } = readJsonText(source);
  requireModel(fields);
  const request = readMembers(fields);
  const unknown = Object.entries(isUnknown).find(([name, isIt]) => isIt(fields[name]));
  if (unknown) {
    throw new GatewayError("invalidParameters", errorMessages.notSupported(unknown[0]));
  }
  const wantsCost = asksForCost(fields);
  const { model, prompt, suffix, stream, stream_options: options } = request;
  const prompts = [prompt].flat();
  const answers = numberOf(fields.n) ?? 1;
  if (prompts.length * answers > MOST_ANSWERS) {
    throw new GatewayError("invalidParameters", errorMessages.completionPrompt(MOST_ANSWERS));
  }
  return {
    fields,
    model,
    prompts,
    answers,
    suffix: suffix ?? "",
    isStream: stream === true,
    wantsUsage: wantsCost || options?.include_usage === true,
    wantsCost,
    maxOutputTokens: numberOf(fields.max_tokens),
  };
}
