import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { readChatAnswer } from "./chat/answer";
import { ChatReader } from "./chat/reader";
import { readGeminiAnswer } from "./gemini/answer";
import { GeminiReader } from "./gemini/reader";
import { readMessagesAnswer } from "./messages/answer";
import { MessagesReader } from "./messages/reader";
import { readResponsesAnswer } from "./responses/answer";
import { ResponsesReader } from "./responses/reader";
import type { AnswerContext } from "./upstream-plan";

const model = "vendor-model-2026-11-05";
const candidates = [{ content: { parts: [{ text: "hi" }] }, finishReason: "STOP" }];

const answers: [string, (context: AnswerContext) => unknown][] = [
  [
    "chat",
    (context) =>
      atOnce(
        readChatAnswer({ model, choices: [{ message: { role: "assistant", content: "hi" } }] }, context),
      ),
  ],
  ["a chat stream", (context) => new ChatReader(context).read(JSON.stringify({ model, choices: [{}] }))],
  [
    "messages",
    (context) => atOnce(readMessagesAnswer({ model, content: [{ type: "text", text: "hi" }] }, context)),
  ],
  [
    "a messages stream",
    (context) =>
      new MessagesReader(context).read(JSON.stringify({ type: "message_start", message: { model } })),
  ],
  [
    "responses",
    (context) =>
      atOnce(readResponsesAnswer({ model, object: "response", status: "completed", output: [] }, context)),
  ],
  [
    "a responses stream",
    (context) =>
      new ResponsesReader(context).read(JSON.stringify({ type: "response.created", response: { model } })),
  ],
  ["gemini", (context) => atOnce(readGeminiAnswer({ modelVersion: model, candidates }, context))],
  [
    "a gemini stream",
    (context) => new GeminiReader(context).read(JSON.stringify({ modelVersion: model, candidates })),
  ],
];

test.each(answers)(
  "%s reports the upstream's name for its model before the public name replaces it",
  (_, read) => {
    const reported: unknown[] = [];
    const context = { model: "public", inputTokens: 1, fallbackId: "gen_1", now: new Date(0) };
    const made = read({ ...context, onModel: (name) => void reported.push(name) });
    expect(reported).toEqual([model]);
    expect(JSON.stringify(made)).not.toContain(model);
  },
);
