import type { ChatHabits } from "../capabilities";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { mintToolId } from "../tools/tool-ids";
import { type AnswerContext, costMember, noteFinish, noteUsage, type ReadWhole } from "../upstream-plan";
import { findChatUsage, writeChatUsage } from "../usage/chat-usage";
import { countAllSaid, countParts, countSaid, type SaidTokens } from "../usage/estimate";
import { countedAs, estimateOf, reportedUsage } from "../usage/usage";
import { completeCalls, completeLegacyCall, dropBlankCalls, hasHalfCall } from "./message-calls";
import {
  callsEnds,
  callsFinish,
  createdAt,
  normaliseLogprobs,
  normaliseMessage,
  readFinish,
  takeMessage,
  withCalls,
} from "./normalise";
import { addChoices } from "./response-text";
import { splitThinking, ThinkTags } from "./think-tags";
import type { OfferedNames } from "./tool-calls";

/** Tokens of a message's text, thinking and tool calls. Yields, so that long work can pause. */
export function* countMessage(message: JsonObject): Generator<void, SaidTokens> {
  const texts = [message.content, message.refusal].filter((text) => typeof text === "string");
  const calls = objects(message.tool_calls).map((call) => call.function ?? call.custom);
  for (const target of objects([...calls, message.function_call])) {
    const parts = [target.name, target.arguments, target.input];
    texts.push(...parts.filter((text) => typeof text === "string"));
  }
  const thinking = message.reasoning_content;
  return {
    output: yield* countAllSaid(texts),
    reasoning: typeof thinking === "string" ? countSaid(thinking) : 0,
  };
}

/**
 * Returns a choice's message. Azure's content filter leaves it out and names its reason. null: no choice of this
 * dialect.
 */
function readMessage(choice: JsonObject): JsonObject | null {
  const isFiltered = choice.message === undefined && readFinish(choice) === "content_filter";
  return takeMessage(choice) ?? (isFiltered ? {} : null);
}

/**
 * Reads an upstream's answer into the form of spec 2.2, under the public model name. Keeps unknown members. Changes the
 * object that it is given. null: not an answer in this dialect, or one with half a call.
 */
export function* readChatAnswer(
  answer: unknown,
  context: AnswerContext,
  {
    reasoningTokens = "included",
    thinkTags = false,
    soleName = null,
  }: Partial<ChatHabits & Pick<OfferedNames, "soleName">> = {},
): Generator<void, ReadWhole | null> {
  if (isJsonObject(answer)) {
    addChoices(answer, "message");
  }
  if (isJsonObject(answer) && isJsonObject(answer.choices)) {
    // Some vendors send one without the list around it.
    answer.choices = [answer.choices];
  }
  if (isJsonObject(answer) && Array.isArray(answer.choices)) {
    answer.choices = objects(answer.choices);
  }
  if (!isJsonObject(answer) || !Array.isArray(answer.choices) || answer.choices.length === 0) {
    return null;
  }
  const messages: JsonObject[] = [];
  let isHalf = false;
  for (const [position, choice] of (answer.choices as unknown[]).entries()) {
    const message = isJsonObject(choice) ? readMessage(choice) : null;
    if (!isJsonObject(choice) || !message) {
      return null;
    }
    // Some vendors number the only choice 1.
    choice.index = answer.choices.length > 1 && Number.isInteger(choice.index) ? choice.index : position;
    choice.message = message;
    yield* normaliseMessage(message);
    if (thinkTags) {
      splitThinking(message, new ThinkTags(), true);
    }
    dropBlankCalls(message, soleName);
    for (const [place, call] of objects(message.tool_calls).entries()) {
      call.id ||= mintToolId(context.fallbackId, `${choice.index}.${place}`);
    }
    completeCalls(message, soleName);
    completeLegacyCall(message);
    normaliseLogprobs(choice);
    message.role = "assistant";
    const implied = callsFinish(message);
    // Spec 4.2 rule 1: if thinking used up the budget, the content is an empty string, not null.
    message.content ??= implied !== null || typeof message.refusal === "string" ? null : "";
    choice.finish_reason = withCalls(readFinish(choice), implied) ?? implied ?? "stop";
    isHalf ||= callsEnds.has(choice.finish_reason) && (yield* hasHalfCall(message));
    noteFinish(context, choice.finish_reason);
    messages.push(message);
    yield;
  }
  const { usage, counts } = findChatUsage(answer, objects(answer.choices), reasoningTokens);
  noteUsage(context, usage, counts !== null);
  // Complete counts of the upstream need no estimate.
  const uncounted = counts?.prompt && counts.completion ? [] : messages;
  const estimate = estimateOf(context.inputTokens, yield* countParts(uncounted, countMessage));
  const counted = countedAs(reportedUsage(counts, estimate), estimate);
  context.onModel?.(answer.model);
  answer.model = context.model;
  answer.id = textOf(answer.id) || context.fallbackId;
  answer.object = "chat.completion";
  answer.created = createdAt(answer.created, context.now);
  answer.usage = { ...writeChatUsage(counted.usage, usage), ...costMember(context, counted.usage) };
  return { answer, ...counted, ...(isHalf && { hasHalfCall: true }) };
}
