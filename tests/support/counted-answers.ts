/** Answers with their usage, whole and streamed, in both dialects, and the gateway's counts of them. */

import { expect } from "vitest";
import { atOnce } from "@/server/base/turns";
import type { ReasoningTokens } from "@/server/protocol/capabilities";
import { readChatAnswer } from "@/server/protocol/chat/answer";
import { ChatReader } from "@/server/protocol/chat/reader";
import type { JsonObject } from "@/server/protocol/fields";
import { readMessagesAnswer } from "@/server/protocol/messages/answer";
import { MessagesReader } from "@/server/protocol/messages/reader";
import type { CountedUsage, StreamReader } from "@/server/protocol/upstream-plan";

export const context = { model: "public", inputTokens: 9, fallbackId: "gen_1", now: new Date(5_000) };
export const TEXT = "four score and seven years ago";

export const feed = (reader: StreamReader<JsonObject>, events: object[]): CountedUsage => {
  for (const event of events) {
    expect(reader.read(JSON.stringify(event)).kind).toBe("events");
  }
  return reader.settled(true);
};

export const assistantMessage = (text: string) => ({ role: "assistant", content: text });
export const chunk = (more: JsonObject) => ({ id: "c", choices: [], ...more });
export const finished = { index: 0, delta: {}, finish_reason: "stop" };

export function chatCounts(
  usage: unknown,
  { text = TEXT, placed }: { text?: string; placed?: ReasoningTokens } = {},
) {
  const whole = atOnce(
    readChatAnswer(
      { id: "c", choices: [{ index: 0, message: assistantMessage(text), finish_reason: "stop" }], usage },
      context,
      placed ? { reasoningTokens: placed } : {},
    ),
  );
  const streamed = feed(new ChatReader(context, placed ? { reasoningTokens: placed } : {}), [
    chunk({ choices: [{ index: 0, delta: assistantMessage(text) }] }),
    chunk({ choices: [finished] }),
    chunk({ usage }),
  ]);
  return { whole: { usage: whole?.usage, source: whole?.source }, streamed };
}

export const blocks = (text: string) => [
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
  { type: "content_block_stop", index: 0 },
];
export const start = (usage: unknown) => ({
  type: "message_start",
  message: { id: "m", model: "called", usage },
});
export const finish = (usage: unknown) => ({
  type: "message_delta",
  delta: { stop_reason: "end_turn" },
  usage,
});

/** The start of a stream counts only the first prompt, as the vendor does. */
export function messagesCounts(
  usage: JsonObject,
  begun: JsonObject = { ...usage, output_tokens: 1, iterations: undefined },
) {
  const answer = { id: "m", model: "called", content: [{ type: "text", text: TEXT }], usage };
  const whole = atOnce(readMessagesAnswer(answer, context));
  const streamed = feed(new MessagesReader(context), [start(begun), ...blocks(TEXT), finish(usage)]);
  return {
    whole: { usage: whole?.usage, source: whole?.source, hasOtherModel: whole?.hasOtherModel },
    streamed,
  };
}

export const counted = { prompt_tokens: 20, completion_tokens: 50, total_tokens: 70 };
export const reasoned = (tokens: number, more: JsonObject = {}) => ({
  ...counted,
  ...more,
  completion_tokens_details: { reasoning_tokens: tokens },
});
