import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert, optionalFields, optionalText } from "../cannot-convert";
import { isEffort } from "../effort";
import { isJsonObject, type JsonObject, textOf, wordOf } from "../fields";
import type { AnswerFormat, Conversation, TextBlock, ThinkingWish } from "../pivot/conversation";
import { askedLogprobs } from "../pivot/logprobs";
import { readScalars } from "../scalars";
import { readHistory, readParts } from "./history-in";
import { inCamelCase } from "./names";
import { type GeminiRequest, otherModality } from "./request";
import { readSchema } from "./schema-in";
import { readTools } from "./tools-in";

/** Refuses fields without which the call would mean something else. */
function refuseUnknown({ camelFields, config, choices }: GeminiRequest): void {
  if (choices > 1) {
    cannotConvert(errorMessages.valueNotConvertible("generationConfig.candidateCount", String(choices)));
  }
  if (camelFields.cachedContent) {
    cannotConvert(errorMessages.notConvertible("cachedContent"));
  }
  const other = otherModality(config);
  if (other !== undefined) {
    cannotConvert(errorMessages.valueNotConvertible("generationConfig.responseModalities", other));
  }
}

/** Reads a content; some clients send a plain text. */
function readSystem(instruction: unknown): TextBlock[] {
  const field = "systemInstruction";
  if (typeof instruction === "string") {
    return instruction === "" ? [] : [{ type: "text", text: instruction }];
  }
  return readParts(optionalFields(instruction, field), field).map(({ part }) =>
    typeof part.text === "string"
      ? { type: "text", text: part.text }
      : cannotConvert(errorMessages.onlyText(field)),
  );
}

/**
 * Reads `responseMimeType` and the schema in either form. Throws cannotConvert for a form that no other dialect has.
 */
function readFormat({ responseMimeType: type, ...config }: JsonObject): AnswerFormat | null {
  const google = config.responseSchema;
  const schema = config.responseJsonSchema ?? (isJsonObject(google) ? readSchema(google) : null);
  if (isJsonObject(schema) && (type === undefined || type === null || type === "application/json")) {
    return { type: "schema", schema };
  }
  switch (type) {
    case undefined:
    case null:
    case "":
    case "text/plain":
      return null;
    case "application/json":
      return { type: "json" };
    default:
      return cannotConvert(
        errorMessages.valueNotConvertible("generationConfig.responseMimeType", wordOf(type)),
      );
  }
}

/** A budget of 0 turns thinking off; -1 lets the model choose. null: the client does not mention thinking. */
function readThinking(config: JsonObject): ThinkingWish | null {
  const field = "generationConfig.thinkingConfig";
  const {
    thinkingBudget: budget,
    thinkingLevel,
    includeThoughts,
  } = inCamelCase(optionalFields(config.thinkingConfig, field));
  const level = optionalText(thinkingLevel, `${field}.thinkingLevel`).toLowerCase();
  const wish = { effort: null, budget: null, display: null };
  if (isEffort(level)) {
    return { ...wish, mode: null, effort: level };
  }
  if (budget === 0) {
    return { ...wish, mode: "off" };
  }
  if (typeof budget === "number") {
    return { ...wish, mode: "on", budget: budget > 0 ? Math.floor(budget) : null };
  }
  return includeThoughts === true ? { ...wish, mode: "on" } : null;
}

/** Whether the client asked to read the model's thinking; otherwise it is not shown. */
export function showsThoughts({ config }: GeminiRequest): boolean {
  const { thinkingConfig } = config;
  return isJsonObject(thinkingConfig) && inCamelCase(thinkingConfig).includeThoughts === true;
}

/**
 * Reads a request to generate content (its form already checked). Drops hints that no other dialect knows; throws
 * cannotConvert for other parts that none has.
 */
export function* readConversation(request: GeminiRequest, isStream: boolean): Generator<void, Conversation> {
  refuseUnknown(request);
  const { camelFields, config } = request;
  const turns = yield* readHistory(request.contents);
  return {
    isStream,
    system: readSystem(camelFields.systemInstruction),
    turns,
    isPrefill: turns.at(-1)?.role === "assistant",
    ...readTools(camelFields),
    format: readFormat(config),
    thinking: readThinking(config),
    ...askedLogprobs(config.responseLogprobs === true, config.logprobs),
    stops: Array.isArray(config.stopSequences) ? config.stopSequences.map(textOf) : [],
    stopsField: "generationConfig.stopSequences",
    scalars: readScalars("gemini", { ...camelFields, generationConfig: config }),
    cache: null,
  };
}
