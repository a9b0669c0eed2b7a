import { z } from "zod";
import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import type { Texts } from "@/server/base/language";
import { asksForCost } from "../chat/request";
import type { JsonObject } from "../fields";
import { explainFailure, requireModel } from "../json-object";
import { readJsonText } from "../json-text";

/** A request of OpenAI's older endpoint: a text to go on from, which is one turn of a conversation here. */
export type CompletionRequest = {
  fields: JsonObject;
  model: string;
  prompt: string;
  isStream: boolean;
  wantsUsage: boolean;
  wantsCost: boolean;
  /** null: it named none. */
  maxOutputTokens: number | null;
};

export const completionSchema = z.looseObject({
  model: z.string().min(1).max(256),
  // A list of one is what some clients send of a text.
  prompt: z.union([z.string().min(1), z.tuple([z.string().min(1)]).meta({ minItems: 1, maxItems: 1 })]),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  max_tokens: z.number().int().min(1).max(100_000_000).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
});

const explanations: Record<string, Texts> = {
  model: details.mustBeText("model"),
  prompt: details.completionPrompt(),
  stream: details.mustBeBoolean("stream"),
  stream_options: details.streamOptions(),
  temperature: details.mustBeNumber("temperature", { min: 0, max: 2 }),
  top_p: details.mustBeNumber("top_p", { min: 0, max: 1 }),
  max_tokens: details.mustBePositive("max_tokens"),
  stop: details.mustBeTexts("stop"),
};

/** What no conversation has words for, and the answer would be another one without. */
const isUnknown: Record<string, (value: unknown) => boolean> = {
  suffix: (value) => typeof value === "string" && value !== "",
  echo: (value) => value === true,
  logprobs: (value) => typeof value === "number",
  n: (value) => typeof value === "number" && value > 1,
  best_of: (value) => typeof value === "number" && value > 1,
};

/** Throws the 400s of spec section 7, the first that applies. */
export function parseCompletionRequest(raw: string): CompletionRequest {
  const { fields } = readJsonText(raw);
  requireModel(fields);
  const parsed = completionSchema.safeParse(fields);
  if (!parsed.success) {
    throw explainFailure(parsed.error, explanations);
  }
  const unknown = Object.entries(isUnknown).find(([name, isIt]) => isIt(fields[name]));
  if (unknown) {
    throw new GatewayError("invalidParameters", details.notSupported(unknown[0]));
  }
  const wantsCost = asksForCost(fields);
  const { model, prompt, stream, stream_options: options, max_tokens: limit } = parsed.data;
  return {
    fields,
    model,
    prompt: typeof prompt === "string" ? prompt : prompt[0],
    isStream: stream === true,
    wantsUsage: wantsCost || options?.include_usage === true,
    wantsCost,
    maxOutputTokens: limit ?? null,
  };
}
