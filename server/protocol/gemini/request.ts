import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import type { Texts } from "@/server/base/language";
import { isJsonObject, type JsonObject, wordOf } from "../fields";
import { explainFailure, refuse } from "../json-object";
import { type JsonSource, type JsonText, readJsonText } from "../json-text";
import { inCamelCase } from "./names";

/** A request to generate content, parsed only as far as the gateway uses it. */
export type GeminiRequest = JsonText & {
  /** Its members, in camelCase. */
  camelFields: JsonObject;
  /** At least one. */
  contents: JsonObject[];
  /** `generationConfig`, in camelCase. */
  config: JsonObject;
  /** Thoughts included. null: the client named no limit. */
  maxOutputTokens: number | null;
  choices: number;
};

/** `generationConfig`, in camelCase. */
export const geminiConfigSchema = z.looseObject({
  maxOutputTokens: z.number().int().min(1).max(100_000_000).nullish(),
  candidateCount: z.number().int().min(1).max(8).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  topP: z.number().min(0).max(1).nullish(),
  topK: z.number().min(0).nullish(),
  stopSequences: z.array(z.string()).nullish(),
});

const at = (name: string) => `generationConfig.${name}`;

const explanations: Record<string, Texts> = {
  maxOutputTokens: errorMessages.mustBePositive(at("maxOutputTokens")),
  candidateCount: errorMessages.mustBeInteger(at("candidateCount"), { min: 1, max: 8 }),
  temperature: errorMessages.mustBeNumber(at("temperature"), { min: 0, max: 2 }),
  topP: errorMessages.mustBeNumber(at("topP"), { min: 0, max: 1 }),
  topK: errorMessages.mustNotBeNegative(at("topK")),
  stopSequences: errorMessages.mustBeTexts(at("stopSequences")),
};

/** Google accepts one object instead of a list. Throws invalidParameters for anything else. */
export function readList(value: unknown, field: string): JsonObject[] {
  const list = isJsonObject(value) ? [value] : (value ?? []);
  if (!Array.isArray(list) || !list.every(isJsonObject)) {
    throw refuse(errorMessages.mustBeObjects(field));
  }
  return list;
}

function readContents(fields: JsonObject): JsonObject[] {
  const contents = readList(fields.contents, "contents");
  if (contents.length === 0) {
    throw refuse(errorMessages.mustNotBeEmpty("contents"));
  }
  return contents;
}

function readObject(value: unknown, field: string): JsonObject {
  const fields = value ?? {};
  if (!isJsonObject(fields)) {
    throw refuse(errorMessages.mustBeObject(field));
  }
  return inCamelCase(fields);
}

/** A requested output other than text. undefined: none. Google accepts a single word instead of a list. */
export const otherModality = ({ responseModalities: modalities }: JsonObject): string | undefined =>
  [modalities ?? []]
    .flat()
    .map(wordOf)
    .find((modality) => modality.toUpperCase() !== "TEXT");

/** Parses a body of `generateContent` or `streamGenerateContent`. Throws the 400s of spec section 7. */
export function parseGeminiRequest(source: JsonSource): GeminiRequest {
  const text = readJsonText(source);
  const fields = inCamelCase(text.fields);
  const contents = readContents(fields);
  const config = readObject(fields.generationConfig, "generationConfig");
  const parsed = geminiConfigSchema.safeParse(config);
  if (!parsed.success) {
    throw explainFailure(parsed.error, explanations);
  }
  const { maxOutputTokens, candidateCount } = parsed.data;
  return {
    ...text,
    camelFields: fields,
    contents,
    config,
    maxOutputTokens: maxOutputTokens ?? null,
    choices: candidateCount ?? 1,
  };
}

/** Parses a body of `countTokens`: contents alone, or a whole request. Throws the 400s of spec section 7. */
export function parseGeminiCount(source: JsonSource): Pick<GeminiRequest, "camelFields" | "contents"> {
  const outer = inCamelCase(readJsonText(source).fields);
  const fields = isJsonObject(outer.generateContentRequest)
    ? inCamelCase(outer.generateContentRequest)
    : outer;
  return { camelFields: fields, contents: readContents(fields) };
}
