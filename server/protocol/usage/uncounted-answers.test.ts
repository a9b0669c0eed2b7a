import { expect, test } from "vitest";
import { readChatAnswer } from "../chat/answer";
import type { JsonObject } from "../fields";
import { readGeminiAnswer } from "../gemini/answer";
import { readMessagesAnswer } from "../messages/answer";
import { readResponsesAnswer } from "../responses/answer";
import type { AnswerContext } from "../upstream-plan";

const context: AnswerContext = { model: "public", inputTokens: 9, fallbackId: "gen_1", now: new Date(0) };
const COUNT = 40;
const list = <T>(item: T): T[] => Array.from({ length: COUNT }, () => item);
const call = { id: "c", type: "function", function: { name: "f", arguments: "{}" } };

type AnswerReader = (answer: JsonObject) => Generator<void, unknown>;
const dialects: [name: string, read: AnswerReader, said: JsonObject, counted: JsonObject][] = [
  [
    "chat",
    (answer) => readChatAnswer(answer, context),
    { choices: [{ message: { tool_calls: list(call) } }] },
    { usage: { prompt_tokens: 9, completion_tokens: 5 } },
  ],
  [
    "messages",
    (answer) => readMessagesAnswer(answer, context),
    { content: list({ type: "text", text: "a" }) },
    { usage: { input_tokens: 9, output_tokens: 5 } },
  ],
  [
    "responses",
    (answer) => readResponsesAnswer(answer, context),
    { status: "completed", output: [{ type: "message", content: list({ type: "output_text", text: "a" }) }] },
    { usage: { input_tokens: 9, output_tokens: 5 } },
  ],
  [
    "gemini",
    (answer) => readGeminiAnswer(answer, context),
    { candidates: [{ content: { parts: list({ functionCall: { name: "f", args: { a: 1 } } }) } }] },
    { usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 5, totalTokenCount: 14 } },
  ],
];

test.each(dialects)(
  "the gateway pauses after each text that it counts for a %s upstream",
  (...[, read, whole, counted]) => {
    const stepsOf = (answer: JsonObject) => [...read(structuredClone(answer))].length;
    expect(stepsOf(whole) - stepsOf({ ...whole, ...counted })).toBeGreaterThanOrEqual(COUNT);
  },
);
