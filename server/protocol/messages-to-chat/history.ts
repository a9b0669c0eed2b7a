import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import { type JsonObject, objects, wordOf } from "../fields";
import { toAssistantMessage } from "./assistant-turn";
import { blocksOf, type Part, type Target, textOfBlock, textParts, toContent, toParts } from "./content";
import { NO_RESULT, readToolResult, toOrphanParts, toolUseId } from "./tool-results";

/** The assistant's messages, and every other up to its next turn. */
type Round = { said: JsonObject[]; replies: JsonObject[] };

/** The dialect takes consecutive turns of one role as one. */
function splitRounds(messages: JsonObject[]): Round[] {
  let round: Round = { said: [], replies: [] };
  const rounds = [round];
  for (const message of messages) {
    if (message.role !== "assistant") {
      round.replies.push(message);
      continue;
    }
    if (round.replies.length > 0) {
      round = { said: [], replies: [] };
      rounds.push(round);
    }
    round.said.push(message);
  }
  return rounds;
}

/** Claude Code's first line. Its hash is new in every request and would defeat the upstream's prompt cache. */
const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*\n*/;

function systemText(content: unknown): string {
  const texts = blocksOf(content, "system").map((block) => {
    if (block.type !== "text") {
      throw new GatewayError("cannotConvert", details.noBlock("system", wordOf(block.type)));
    }
    return textOfBlock(block).replace(BILLING_LINE, "");
  });
  return texts.filter((each) => each !== "").join("\n\n");
}

function toSystemMessages(content: unknown): JsonObject[] {
  const text = systemText(content);
  return text === "" ? [] : [{ role: "system", content: text }];
}

/** System text where only a user may speak, in the tags that Claude Code itself uses for that. */
function toReminder(content: unknown): Part[] {
  const text = systemText(content);
  return text === "" ? [] : textParts(`<system-reminder>\n${text}\n</system-reminder>`);
}

const toUserMessages = (parts: Part[]): JsonObject[] =>
  parts.length === 0 ? [] : [{ role: "user", content: toContent(parts) }];

/** The results in a round by the call that they are for, the first of each last. */
function groupResults(replies: JsonObject[]): Map<string, JsonObject[]> {
  const groups = new Map<string, JsonObject[]>();
  for (const block of replies.flatMap((message) => blocksOf(message.content)).reverse()) {
    if (block.type === "tool_result") {
      const group = groups.get(toolUseId(block)) ?? [];
      groups.set(toolUseId(block), group);
      group.push(block);
    }
  }
  return groups;
}

/**
 * The calls' results, one for each, in the order of the calls; of calls with the same identifier the second gets the
 * second result, and a result without an identifier is that of the only call that has none. `answers`: the blocks that
 * became one.
 */
function toToolMessages(callIds: string[], replies: JsonObject[], target: Target) {
  const results = groupResults(replies);
  const answers = new Set<JsonObject>();
  const media: Part[][] = [];
  const unanswered = callIds.filter((id) => !results.has(id));
  const sole = unanswered.length === 1 ? unanswered[0] : null;
  const messages = callIds.map((id) => {
    const block = results.get(id)?.pop() ?? (id === sole ? results.get("")?.pop() : undefined);
    const result = block && readToolResult(block, target);
    if (block && result) {
      answers.add(block);
      media.push(result.media);
    }
    return { role: "tool", tool_call_id: id, content: result?.text ?? NO_RESULT };
  });
  return { messages, media: media.flat(), answers };
}

function toRoundMessages({ said, replies }: Round, target: Target): JsonObject[] {
  const turn = toAssistantMessage(
    said.flatMap((message) => blocksOf(message.content)),
    target,
  );
  // Whatever stands between a call and its result, the result comes first (ogx#6367).
  const tools = toToolMessages(turn?.callIds ?? [], replies, target);
  const messages: JsonObject[] = [...(turn ? [turn.message] : []), ...tools.messages];
  let parts = [tools.media];
  for (const reply of replies) {
    if (reply.role !== "system") {
      parts.push(toReplyParts(reply, tools.answers, target));
    } else if (!target.capabilities.laterSystem) {
      parts.push(toReminder(reply.content));
    } else {
      messages.push(...toUserMessages(parts.flat()), ...toSystemMessages(reply.content));
      parts = [];
    }
  }
  messages.push(...toUserMessages(parts.flat()));
  return messages;
}

/** What a user's message says beside the results that `answers` has. */
function toReplyParts({ content }: JsonObject, answers: Set<JsonObject>, target: Target): Part[] {
  return blocksOf(content).flatMap((block) => {
    if (block.type !== "tool_result") {
      return toParts(block, target);
    }
    return answers.has(block) ? [] : toOrphanParts(block, target);
  });
}

/**
 * A messages-dialect conversation as chat messages: system text first and wherever else it stands, one tool message
 * for each call, right after the turn that made it. Throws cannotConvert for blocks that the upstream cannot be shown.
 */
export function toChatMessages(fields: JsonObject, target: Target): JsonObject[] {
  const rounds = splitRounds(objects(fields.messages));
  const turns = rounds.flatMap((round) => toRoundMessages(round, target));
  if (turns.length === 0) {
    throw new GatewayError("cannotConvert", details.noContent());
  }
  return [...toSystemMessages(fields.system), ...turns];
}
