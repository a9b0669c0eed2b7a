/** Events of a stream that are too long to write at once. */
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { callOf, planFor } from "@/tests/support/upstream-request";
import type { Dialect } from "../capabilities";
import { type JsonObject, objects } from "../fields";
import type { AnswerStream } from "../upstream-plan";

const LONG = 'word \n"é😀" '.repeat(300_000);
/** A part has a slice of the text of 256 kB, in which each character may be escaped. */
const MAX_PART = 600_000;

const chunk = (content: string) => JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content } }] });
const message = { id: "m", type: "message", role: "assistant", content: [], usage: { input_tokens: 1 } };
const block = { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
const grown = (text: string) =>
  JSON.stringify({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });

/** The first events of an upstream, and an event with a text. */
const upstreams = {
  chat: { begin: [chunk("first")], textEvent: chunk },
  messages: {
    begin: [JSON.stringify({ type: "message_start", message }), JSON.stringify(block), grown("first")],
    textEvent: grown,
  },
};

const turn = [{ role: "user", content: "hi" }];
const calls: Record<Dialect, JsonObject> = {
  chat: { messages: turn },
  messages: { messages: turn },
  responses: { input: "hi" },
  gemini: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
};

/** The text that events say to a client of any dialect. */
function textIn(frames: string): string {
  const events = [...frames.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(String(data)));
  return events
    .map(({ type, choices, delta, candidates }) => {
      const [choice] = objects(choices) as { delta?: JsonObject }[];
      const [candidate] = objects(candidates) as { content?: { parts?: { text?: string }[] } }[];
      const ofResponse = type === "response.output_text.delta" ? delta : "";
      return choice?.delta?.content ?? candidate?.content?.parts?.[0]?.text ?? delta?.text ?? ofResponse;
    })
    .join("");
}

const open = (client: Dialect, upstream: keyof typeof upstreams): AnswerStream =>
  planFor(callOf[client](calls[client]), upstream).openStream({
    ...{ model: "m", inputTokens: 1, fallbackId: "x", now: new Date(0) },
  });

/** The text of an event that need not wait. */
function push(stream: AnswerStream, data: string): string {
  const pushing = stream.pushInSteps?.(data);
  const step = pushing && atOnce(pushing);
  expect(step).toMatchObject({ kind: "frames" });
  return step?.kind === "frames" ? step.text : "";
}

const rest = (stream: AnswerStream) => [...(stream.rest?.() ?? [])];

test.each<[client: Dialect, upstream: keyof typeof upstreams]>([
  ["chat", "chat"],
  ["messages", "messages"],
  ["messages", "chat"],
  ["chat", "messages"],
  ["responses", "chat"],
  ["gemini", "chat"],
])("a long event for a client of %s from an upstream of %s is written in parts", (client, upstream) => {
  const stream = open(client, upstream);
  const { begin, textEvent } = upstreams[upstream];
  const before = begin.map((data) => push(stream, data) + rest(stream).join("")).join("");
  const parts = [push(stream, textEvent(LONG)), ...rest(stream)];
  expect(parts[0]).not.toBe("");
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(MAX_PART);
  expect(textIn(before + parts.join(""))).toBe(`first${LONG}`);
  expect(stream.rest?.()).toBeNull();
});

test.each(["chat", "messages", "responses"] as const)(
  "later events and the end wait behind a long event for a client of %s",
  (client) => {
    const stream = open(client, "chat");
    const events = [chunk("first"), chunk(LONG), chunk("second"), chunk("third")].map((data) =>
      push(stream, data),
    );
    const all = [...events, stream.ending(), ...rest(stream)].join("");
    const order = open(client, "chat");
    const expected = [chunk("first"), chunk(LONG), chunk("second"), chunk("third")].map(
      (data) => push(order, data) + rest(order).join(""),
    );
    expect(textIn(all)).toBe(`first${LONG}secondthird`);
    expect(all.length).toBe([...expected, order.ending(), ...rest(order)].join("").length);
  },
);

test.each(["chat", "messages"] as const)(
  "a long event that is nested too deep to print is refused before a client of %s gets a part of it",
  (dialect) => {
    const deep = "[".repeat(3_000) + "]".repeat(3_000);
    const stream = open(dialect, dialect);
    const { begin, textEvent } = upstreams[dialect];
    for (const data of begin) {
      push(stream, data);
    }
    const pushing = stream.pushInSteps?.(`{"own":${deep},${textEvent(LONG).slice(1)}`);
    expect(pushing && atOnce(pushing)).toEqual({ kind: "malformed" });
    expect(stream.rest?.()).toBeNull();
  },
);
