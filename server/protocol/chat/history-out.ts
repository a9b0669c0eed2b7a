import { errorMessages } from "@/server/base/error-messages";
import { mapInSteps } from "@/server/base/turns";
import { cannotConvert } from "../cannot-convert";
import type { JsonObject } from "../fields";
import type { Block, Conversation, ResultBlock, TextBlock, Turn } from "../pivot/conversation";
import { toChatToolId } from "../tools/tool-ids";
import { toAssistantMessage } from "./assistant-out";
import { type ChatPart, type ModelTarget, textParts, toContent, toParts } from "./content-out";
import { NO_RESULT, toOrphanParts, writeResult } from "./results-out";

/** The assistant's turns, and all turns up to its next one. */
type ChatRound = { turns: Turn[]; replies: Turn[] };

const blocksOf = ({ blocks }: Turn): Block[] => blocks;

/** The dialect treats consecutive turns of one role as one. */
function splitRounds(turns: Turn[]): ChatRound[] {
  let round: ChatRound = { turns: [], replies: [] };
  const rounds = [round];
  for (const turn of turns) {
    if (turn.role !== "assistant") {
      round.replies.push(turn);
      continue;
    }
    if (round.replies.length > 0) {
      round = { turns: [], replies: [] };
      rounds.push(round);
    }
    round.turns.push(turn);
  }
  return rounds;
}

const joinTexts = (blocks: TextBlock[]): string =>
  blocks
    .map((block) => block.text)
    .filter((text) => text !== "")
    .join("\n\n");

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

/** The results of a round, grouped by call. Each group is in reverse order, so that `pop` takes the first. */
function groupResults(replies: Turn[]): Map<string, ResultBlock[]> {
  const groups = new Map<string, ResultBlock[]>();
  for (const block of replies.flatMap(blocksOf).reverse()) {
    if (block.type === "result") {
      const id = toChatToolId(block.callId);
      const group = groups.get(id) ?? [];
      groups.set(id, group);
      group.push(block);
    }
  }
  return groups;
}

/**
 * Writes one result for each call, in the order of the calls. If two calls share an identifier, the second gets the
 * second result. A result without an identifier belongs to the only call that has no result. `answers`: the blocks that
 * became results.
 */
function* toToolMessages(callIds: string[], replies: Turn[], target: ModelTarget) {
  const results = groupResults(replies);
  const answers = new Set<Block>();
  const media: ChatPart[][] = [];
  const unanswered = callIds.filter((id) => !results.has(id));
  const sole = unanswered.length === 1 ? unanswered[0] : null;
  const messages = yield* mapInSteps(callIds, (id) => {
    const block = results.get(id)?.pop() ?? (id === sole ? results.get("")?.pop() : undefined);
    const result = block && writeResult(block, target);
    if (block && result) {
      answers.add(block);
      media.push(result.media);
    }
    return { role: "tool", tool_call_id: id, content: result?.text ?? NO_RESULT };
  });
  return { messages, media: media.flat(), answers };
}

/** The parts of a user's message other than the results in `answers`. */
const toReplyParts = (blocks: Block[], answers: Set<Block>, target: ModelTarget): ChatPart[] =>
  blocks.flatMap((block) => {
    if (block.type !== "result") {
      return toParts(block, target);
    }
    return answers.has(block) ? [] : toOrphanParts(block, target);
  });

function* toRoundMessages({ turns, replies }: ChatRound, target: ModelTarget): Generator<void, JsonObject[]> {
  const turn = toAssistantMessage(turns.flatMap(blocksOf), target);
  // The result directly follows its call, whatever stood between them (ogx#6367).
  const tools = yield* toToolMessages(turn?.callIds ?? [], replies, target);
  const messages: JsonObject[] = [...(turn ? [turn.message] : []), ...tools.messages];
  let parts = [tools.media];
  for (const reply of replies) {
    if (reply.role !== "system") {
      parts.push(toReplyParts(reply.blocks, tools.answers, target));
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
