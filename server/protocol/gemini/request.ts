import { z } from "zod";
import { errorMessages } from "@/server/base/error-messages";
import { isJsonObject, type JsonObject, numberOf, wordOf } from "../fields";
import { explainFailure, refuse } from "../json/object";
import { type JsonSource, type JsonText, readJsonText } from "../json/text";
import { scalarGuards } from "../scalars";
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

const scalars = scalarGuards("gemini");

/** `generationConfig`, in camelCase. */
export const geminiConfigSchema = z.looseObject(scalars.shape);

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
    throw explainFailure(parsed.error, scalars.explanations);
  }
  return {
    ...text,
    camelFields: fields,
    contents,
    config,
    maxOutputTokens: numberOf(config.maxOutputTokens),
    choices: numberOf(config.candidateCount) ?? 1,
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
