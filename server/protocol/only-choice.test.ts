/** The only choice of an answer, under a number other than 0. */
import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { clients } from "@/tests/support/dialect-pairs/clients";
import { dataOf } from "@/tests/support/dialect-pairs/model-answer";
import { type DialectPair, planOf, relay } from "@/tests/support/dialect-pairs/pairs";

const dialects = ["chat", "messages", "responses", "gemini"] as const;
const context = { model: "public", inputTokens: 5, fallbackId: "gen_1", now: new Date(5_000) };

const chat = (index: unknown) => ({
  events: [
    { id: "c", choices: [{ index, delta: { content: "Hel" }, finish_reason: null }] },
    { id: "c", choices: [{ index, delta: { content: "lo" }, finish_reason: "stop" }] },
  ],
  whole: { choices: [{ index, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }] },
});

const candidate = (text: string, more: object) => ({
  candidates: [{ content: { role: "model", parts: [{ text }] }, ...more }],
});
const gemini = (index: unknown) => ({
  events: [candidate("Hel", { index }), candidate("lo", { index, finishReason: "STOP" })],
  whole: candidate("Hello", { index, finishReason: "STOP" }),
});

test.each(
  dialects.flatMap((client): [DialectPair, unknown, ReturnType<typeof chat | typeof gemini>][] => [
    ...[1, "1", "0", null].map((index): [DialectPair, unknown, ReturnType<typeof chat>] => [
      { client, upstream: "chat" },
      index,
      chat(index),
    ]),
    [{ client, upstream: "gemini" }, 1, gemini(1)],
  ]),
)("%j: the only choice, with the number %j, is the answer", (pair, _, { events, whole }) => {
  const text = relay(
    pair,
    events.map((event) => JSON.stringify(event)),
  );
  expect(clients[pair.client].stream(text)).toMatchObject({ text: "Hello", finish: "end" });
  const read = atOnce(planOf(pair, false).readAnswer(whole, context));
  expect(
    typeof read === "string" ? read : clients[pair.client].whole(JSON.stringify(read.body)),
  ).toMatchObject({
    text: "Hello",
  });
});

test("a chat client that asked for one choice gets the number 0", () => {
  const text = relay(
    { client: "chat", upstream: "chat" },
    chat(1).events.map((event) => JSON.stringify(event)),
  );
  const numbers = dataOf(text).flatMap(({ choices }) =>
    (choices as { index: unknown }[]).map(({ index }) => index),
  );
  expect(numbers).toEqual([0, 0]);
});
