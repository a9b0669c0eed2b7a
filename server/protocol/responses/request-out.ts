import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "../cannot-convert";
import type { Capabilities } from "../capabilities";
import { clipEffort, effortOf } from "../effort";
import { isJsonObject, type JsonObject } from "../fields";
import type { Conversation, ThinkingWish } from "../pivot/conversation";
import { LOGPROBS } from "../pivot/logprobs";
import { joinTexts } from "../pivot/rounds";
import { writeScalars } from "../scalars";
import { fitsStrictMode } from "../tools/strict-schema";
import type { ToolNames } from "../tools/tool-names";
import type { CallTerms, UpstreamModel } from "../upstream-plan";
import { toItems } from "./items-out";
import { toResponsesTools } from "./tools-out";

/** OpenAI refuses a lower limit. */
const MIN_OUTPUT_TOKENS = 16;

const SEALED = "reasoning.encrypted_content";

/**
 * Asks for thinking in a form that can be handed back, since nothing is stored. Not for a model that does not think:
 * OpenAI refuses that.
 */
export function sealedThinking({ include, reasoning }: JsonObject, { thinking }: Capabilities): JsonObject {
  const isThinking = thinking !== "none" || (isJsonObject(reasoning) && reasoning.effort !== "none");
  const list: unknown[] = Array.isArray(include) ? include : [];
  return isThinking && !list.includes(SEALED) ? { include: [...list, SEALED] } : {};
}

/** Always set: the hold covers this many tokens. */
function toOutputLimit({ capabilities }: UpstreamModel, { maxOutputTokens }: CallTerms): JsonObject {
  const limit = capabilities.maxOutputTokens ?? maxOutputTokens;
  return { max_output_tokens: Math.max(Math.min(maxOutputTokens, limit), MIN_OUTPUT_TOKENS) };
}

/** The reasoning member for the client's wish. Thinking is shown as a summary, or not at all. */
function toReasoning(wish: ThinkingWish | null, { thinking, effortLevels }: Capabilities): JsonObject {
  if (wish === null || thinking === "none") {
    return {};
  }
  if (wish.mode === "off") {
    return effortLevels.includes("none") ? { reasoning: { effort: "none" } } : {};
  }
  const level = wish.effort ?? (wish.budget === null ? null : effortOf(wish.budget));
  const effort = level && clipEffort(level, effortLevels);
  const summary = wish.display === "omitted" ? {} : { summary: "auto" };
  return { reasoning: { ...(effort !== null && { effort }), ...summary } };
}

/** Throws cannotConvert where the upstream would ignore the form. */
function toFormat({ format }: Conversation, { jsonSchema }: Capabilities): JsonObject {
  if (format === null) {
    return {};
  }
  if (format.type === "json") {
    return { text: { format: { type: "json_object" } } };
  }
  const { schema } = format;
  return jsonSchema
    ? { text: { format: { type: "json_schema", name: "response", schema, strict: fitsStrictMode(schema) } } }
    : cannotConvert(errorMessages.noSchema());
}

/** Requests the probabilities of tokens and of their alternatives. */
const toLogprobs = ({ topLogprobs: top }: Conversation): JsonObject =>
  top === undefined ? {} : { include: [LOGPROBS], ...(top > 0 && { top_logprobs: top }) };

/**
 * Writes a conversation for a Responses upstream, with the upstream names of its tools. Drops hints for which the
 * dialect has no words (cache marks); throws cannotConvert for parts whose loss would change the call's meaning.
 */
export function* writeResponsesRequest(
  conversation: Conversation,
  upstream: UpstreamModel,
  terms: CallTerms,
): Generator<void, { body: JsonObject; names: ToolNames }> {
  const { capabilities } = upstream;
  const tools = toResponsesTools(conversation, capabilities);
  const instructions = joinTexts(conversation.system);
  const input = yield* toItems(conversation, { capabilities, names: tools.names });
  const body = {
    model: upstream.name,
    ...(instructions !== "" && { instructions }),
    input,
    ...toOutputLimit(upstream, terms),
    ...tools.fields,
    ...toReasoning(conversation.thinking, capabilities),
    ...writeScalars(conversation.scalars, upstream, toFormat(conversation, capabilities)),
    store: false,
    ...toLogprobs(conversation),
    ...sealedThinking(toLogprobs(conversation), capabilities),
    ...(conversation.isStream && { stream: true }),
  };
  return { body, names: tools.names };
}
