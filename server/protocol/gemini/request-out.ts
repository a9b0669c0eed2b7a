import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import { clipEffort, type Effort, effortOf } from "../effort";
import type { JsonObject } from "../fields";
import type { Conversation, FunctionTool, ThinkingWish } from "../pivot/conversation";
import { servedSearch } from "../pivot/hosted-tools";
import { writeScalars } from "../scalars";
import { offerTools } from "../tools/offered-tools";
import type { ToolNames } from "../tools/tool-names";
import type { CallTerms, UpstreamModel } from "../upstream-plan";
import { toContents } from "./history-out";

const MAX_NAME_CHARACTERS = 64;

/**
 * Sends schemas unchanged: Google takes all of JSON Schema in this member, and refuses most of it elsewhere
 * (OmniRoute#1421).
 */
function toDeclaration({ name, description, parameters }: FunctionTool, names: ToolNames): JsonObject {
  const { $schema: _dialect, ...schema } = parameters;
  return {
    name: names.toUpstream(name),
    ...(description !== "" && { description }),
    parametersJsonSchema: { type: "object", properties: {}, ...schema },
  };
}

function toConfig({ choice }: Conversation, names: ToolNames): JsonObject {
  const calling = (functionCallingConfig: JsonObject) => ({ toolConfig: { functionCallingConfig } });
  switch (choice?.type) {
    case undefined:
    case "auto":
      return {};
    case "none":
      return calling({ mode: "NONE" });
    case "any":
      return calling({ mode: "ANY" });
    case "tool":
      return calling({ mode: "ANY", allowedFunctionNames: [names.toUpstream(choice.name)] });
  }
}

function toTools(conversation: Conversation, capabilities: Capabilities) {
  const { offered, names } = offerTools(conversation, MAX_NAME_CHARACTERS);
  const search = servedSearch(conversation, capabilities);
  if (search && search.domainsField !== null) {
    // Google's search cannot be limited to addresses.
    cannotConvert(errorMessages.noSearchOption(search.domainsField));
  }
  const declared = { functionDeclarations: offered.map((tool) => toDeclaration(tool, names)) };
  const tools = [...(offered.length > 0 ? [declared] : []), ...(search ? [{ googleSearch: {} }] : [])];
  return {
    names,
    fields: {
      ...(tools.length > 0 && { tools }),
      ...(offered.length > 0 && toConfig(conversation, names)),
    },
  };
}

/** Thinking tokens, by effort. */
const budgets: Record<Effort, number> = {
  minimal: 512,
  low: 1_024,
  medium: 4_096,
  high: 16_384,
  xhigh: 24_576,
  max: 24_576,
};

/** Thinking is shown whenever the model thinks: spec 4.2 rule 3 promises it. */
function toThinking(wish: ThinkingWish | null, { thinking, effortLevels }: Capabilities): JsonObject {
  if (thinking === "none") {
    return {};
  }
  const isOff = wish?.mode === "off";
  const shown = { includeThoughts: !isOff };
  if (thinking === "budget") {
    const tokens = wish?.budget ?? (wish?.effort ? budgets[wish.effort] : null);
    const budget = isOff ? 0 : tokens;
    return { thinkingConfig: { ...shown, ...(budget !== null && { thinkingBudget: budget }) } };
  }
  const effort = wish?.effort ?? (typeof wish?.budget === "number" ? effortOf(wish.budget) : null);
  const level = clipEffort(isOff ? "minimal" : (effort ?? "minimal"), effortLevels);
  const isNamed = (isOff || effort !== null) && level !== null;
  return { thinkingConfig: { ...shown, ...(isNamed && { thinkingLevel: level.toUpperCase() }) } };
}

/** Throws cannotConvert where the upstream would ignore the form. */
function toFormat({ format }: Conversation, { jsonSchema }: Capabilities): JsonObject {
  if (format === null) {
    return {};
  }
  const responseMimeType = "application/json";
  if (format.type === "json") {
    return { responseMimeType };
  }
  const { $schema: _dialect, ...responseJsonSchema } = format.schema;
  return jsonSchema ? { responseMimeType, responseJsonSchema } : cannotConvert(errorMessages.noSchema());
}

/** Requests the probabilities of tokens and of their alternatives. */
const toLogprobs = ({ topLogprobs: top }: Conversation): JsonObject =>
  top === undefined ? {} : { responseLogprobs: true, ...(top > 0 && { logprobs: top }) };

/**
 * Writes a conversation for a Gemini upstream, with the upstream names of its tools. Drops hints for which the dialect
 * has no words (cache marks, users); throws cannotConvert for parts whose loss would change the call's meaning.
 */
export function* writeGeminiRequest(
  conversation: Conversation,
  upstream: UpstreamModel,
  { maxOutputTokens }: CallTerms,
): Generator<void, { body: JsonObject; names: ToolNames }> {
  const { capabilities } = upstream;
  const tools = toTools(conversation, capabilities);
  // Google gives no answer to a call that has only instructions.
  const source: Conversation =
    conversation.turns.length > 0
      ? conversation
      : { ...conversation, system: [], turns: [{ role: "user", blocks: conversation.system }] };
  const system = source.system.filter(({ text }) => text !== "").map(({ text }) => ({ text }));
  const contents = yield* toContents(source, { capabilities, names: tools.names });
  const body = {
    contents,
    ...(system.length > 0 && { systemInstruction: { parts: system } }),
    ...tools.fields,
    ...writeScalars(conversation.scalars, upstream, {
      generationConfig: {
        maxOutputTokens: Math.min(maxOutputTokens, capabilities.maxOutputTokens ?? maxOutputTokens),
        ...(conversation.stops.length > 0 && { stopSequences: conversation.stops }),
        ...toLogprobs(conversation),
        ...toFormat(conversation, capabilities),
        ...toThinking(conversation.thinking, capabilities),
      },
    }),
  };
  return { body, names: tools.names };
}
