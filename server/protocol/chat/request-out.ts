import { errorMessages } from "@/server/base/error-messages";
import { cannotConvert } from "../cannot-convert";
import { type Capabilities, limitField } from "../capabilities";
import type { JsonObject } from "../fields";
import type { Conversation } from "../pivot/conversation";
import { continues, planCache } from "../prompt-cache";
import { writeScalars } from "../scalars";
import { fitsStrictMode } from "../tools/strict-schema";
import type { ToolNames } from "../tools/tool-names";
import type { CallTerms, UpstreamModel } from "../upstream-plan";
import { cachedMembers } from "./cache-marks";
import { toChatMessages } from "./history-out";
import { toThinking } from "./thinking-out";
import { toChatTools } from "./tools-out";

/** Always set: the hold covers this many tokens and no more. */
function toOutputLimit(upstream: UpstreamModel, terms: CallTerms): JsonObject {
  const limit = upstream.capabilities.maxOutputTokens ?? terms.maxOutputTokens;
  return { [limitField(upstream)]: Math.min(terms.maxOutputTokens, limit) };
}

/** Throws cannotConvert where the upstream would ignore the form. */
function toResponseFormat({ format }: Conversation, { jsonSchema }: Capabilities): JsonObject {
  if (format === null) {
    return {};
  }
  if (format.type === "json") {
    return { response_format: { type: "json_object" } };
  }
  if (!jsonSchema) {
    return cannotConvert(errorMessages.noSchema());
  }
  const { schema } = format;
  const json_schema = { name: "response", schema, ...(fitsStrictMode(schema) && { strict: true }) };
  return { response_format: { type: "json_schema", json_schema } };
}

/** Requests the probabilities of tokens and of their alternatives. */
const toLogprobs = ({ topLogprobs: top }: Conversation): JsonObject =>
  top === undefined ? {} : { logprobs: true, ...(top > 0 && { top_logprobs: top }) };

/**
 * Writes a conversation for a chat upstream, with the upstream names of its tools. Drops hints that the upstream does
 * not know (cache marks); throws cannotConvert for parts whose loss would change the call's meaning.
 */
export function* writeChatRequest(
  conversation: Conversation,
  upstream: UpstreamModel,
  terms: CallTerms,
): Generator<void, { body: JsonObject; names: ToolNames }> {
  const { capabilities } = upstream;
  const tools = toChatTools(conversation, capabilities);
  const messages = yield* toChatMessages(conversation, { capabilities, names: tools.names });
  const cache = planCache(capabilities, terms, {
    clientMark: conversation.cache,
    continues: continues(conversation),
  });
  const body = {
    model: upstream.name,
    ...(cache ? cachedMembers(messages, tools.fields.tools, cache) : { messages }),
    ...toOutputLimit(upstream, terms),
    ...tools.fields,
    ...toThinking(conversation.thinking, capabilities),
    ...toResponseFormat(conversation, capabilities),
    ...writeScalars(conversation.scalars, upstream),
    ...(conversation.stops.length > 0 && { stop: conversation.stops }),
    ...toLogprobs(conversation),
    ...(conversation.isStream && { stream: true, stream_options: { include_usage: true } }),
  };
  return { body, names: tools.names };
}
