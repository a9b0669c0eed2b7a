import { errorMessages } from "@/server/base/error-messages";
import { mapInSteps } from "@/server/base/turns";
import { cannotConvert } from "../cannot-convert";
import type { JsonObject } from "../fields";
import type { Block, Conversation, TextBlock, Turn } from "../pivot/conversation";
import {
  blocksOf,
  joinTexts,
  NO_RESULT,
  pairResults,
  type Round,
  type RoundResults,
  splitRounds,
} from "../pivot/rounds";
import { toChatToolId } from "../tools/tool-ids";
import { toAssistantMessage } from "./assistant-out";
import { type ChatPart, type ModelTarget, textParts, toContent, toParts } from "./content-out";
import { toOrphanParts, writeResult } from "./results-out";

function toSystemMessages(blocks: TextBlock[]): JsonObject[] {
  const text = joinTexts(blocks);
  return text === "" ? [] : [{ role: "system", content: text }];
}

/** System text where only a user may speak, in the tags that Claude Code itself uses. */
function toReminder(blocks: TextBlock[]): ChatPart[] {
  const text = joinTexts(blocks);
  return text === "" ? [] : textParts(`<system-reminder>\n${text}\n</system-reminder>`);
}

const toUserMessages = (parts: ChatPart[]): JsonObject[] =>
  parts.length === 0 ? [] : [{ role: "user", content: toContent(parts) }];

/** Writes one result for each call, in the order of the calls. */
function* toToolMessages(callIds: string[], replies: Turn[], target: ModelTarget) {
  const results = pairResults(callIds, replies, toChatToolId);
  const media: ChatPart[][] = [];
  const messages = yield* mapInSteps(callIds, (id, place) => {
    const block = results.ofCalls[place];
    const result = block && writeResult(block, target);
    media.push(result?.media ?? []);
    return { role: "tool", tool_call_id: id, content: result?.text ?? NO_RESULT };
  });
  return { messages, media: media.flat(), results };
}

/** The parts of a user's message other than the results of calls. */
const toReplyParts = (blocks: Block[], { isPaired }: RoundResults, target: ModelTarget): ChatPart[] =>
  blocks.flatMap((block) => {
    if (block.type !== "result") {
      return toParts(block, target);
    }
    return isPaired(block) ? [] : toOrphanParts(block, target);
  });

function* toRoundMessages({ turns, replies }: Round, target: ModelTarget): Generator<void, JsonObject[]> {
  const turn = toAssistantMessage(blocksOf(turns), target);
  // The result directly follows its call, whatever stood between them (ogx#6367).
  const tools = yield* toToolMessages(turn?.callIds ?? [], replies, target);
  const messages: JsonObject[] = [...(turn ? [turn.message] : []), ...tools.messages];
  let parts = [tools.media];
  for (const reply of replies) {
    if (reply.role !== "system") {
      parts.push(toReplyParts(reply.blocks, tools.results, target));
    } else if (!target.capabilities.laterSystem) {
      parts.push(toReminder(reply.blocks));
    } else {
      messages.push(...toUserMessages(parts.flat()), ...toSystemMessages(reply.blocks));
      parts = [];
    }
  }
  messages.push(...toUserMessages(parts.flat()));
  return messages;
}

/**
 * Writes a conversation as chat messages: system text first and at each later place, and one tool message for each
 * call, right after the turn that made it. Throws cannotConvert for blocks that the upstream cannot take.
 */
export function* toChatMessages(
  { system, turns }: Conversation,
  target: ModelTarget,
): Generator<void, JsonObject[]> {
  const rounds: JsonObject[][] = [];
  for (const round of splitRounds(turns)) {
    rounds.push(yield* toRoundMessages(round, target));
    yield;
  }
  const messages = rounds.flat();
  return messages.length === 0
    ? cannotConvert(errorMessages.noContent())
    : [...toSystemMessages(system), ...messages];
}
