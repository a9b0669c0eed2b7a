/** Vendors' deviations from their dialect, and how they are read. */

import { describe, expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { assistantMessage, chunk, context, start } from "@/tests/support/counted-answers";
import { readChatAnswer } from "./chat/answer";
import { ChatReader } from "./chat/reader";
import { MessagesReader } from "./messages/reader";

test("Azure: the id of the stream is the vendor's, though the first chunk has none", () => {
  const reader = new ChatReader(context);
  const preface = { id: "", created: 0, model: "", object: "", choices: [], prompt_filter_results: [1] };
  expect(reader.read(JSON.stringify(preface))).toEqual({ kind: "events", events: [] });
  expect(reader.isStarted).toBe(false);
  const read = reader.read(
    JSON.stringify(chunk({ id: "chatcmpl-1", choices: [{ delta: assistantMessage("a") }] })),
  );
  expect(read).toMatchObject({
    events: [
      { id: "chatcmpl-1", model: "public", prompt_filter_results: [1] },
      { id: "chatcmpl-1", choices: [{ delta: { content: "a" } }] },
    ],
  });
});

test("Workers AI: an answer that is JSON becomes its text, and is counted", () => {
  const answer = { id: "c", choices: [{ index: 0, message: { content: { name: "Ada", born: [1815] } } }] };
  const read = atOnce(readChatAnswer(answer, context));
  expect(read?.answer).toMatchObject({
    choices: [{ message: { content: '{"name":"Ada","born":[1815]}' } }],
  });
  expect(read?.usage.outputTokens).toBeGreaterThan(4);
});

test.each([
  ["JSON of another kind", [{ name: "Ada" }], '[{"name":"Ada"}]'],
  ["a number", 7, "7"],
  ["one part", { type: "text", text: "a" }, "a"],
  ["strings as parts", ["a", "b"], "ab"],
])("content that is %s becomes text", (_name, content, text) => {
  const read = atOnce(readChatAnswer({ choices: [{ index: 0, message: { content } }] }, context));
  expect(read?.answer).toMatchObject({ choices: [{ message: { content: text } }] });
});

describe("spaces around an event's data end no stream", () => {
  test.each([
    ["chat", () => new ChatReader(context), chunk({ choices: [{ index: 0, delta: assistantMessage("a") }] })],
    ["messages", () => new MessagesReader(context), start({ input_tokens: 1 })],
  ] as const)(
    "%s: empty data counts as a keep-alive, and [DONE] with spaces as the end",
    (_name, open, first) => {
      const reader = open();
      expect(reader.read(" ")).toEqual({ kind: "ping" });
      expect(reader.read(JSON.stringify(first)).kind).toBe("events");
      expect(reader.read("")).toEqual({ kind: "ping" });
      expect(reader.read(" [DONE] ")).toEqual({ kind: "done" });
    },
  );
});
