import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import type { ModelAnswer } from "@/tests/support/dialect-pairs/model-answer";
import {
  type DialectPair,
  dialectPairs,
  hearStream,
  hearWhole,
  planOf,
} from "@/tests/support/dialect-pairs/pairs";
import type { Dialect } from "../capabilities";
import type { JsonObject } from "../fields";
import { ofText, readLogprobs, writeByteLogprobs } from "./logprobs";

const requests: Record<Dialect, JsonObject> = {
  chat: { logprobs: true, top_logprobs: 2 },
  messages: {},
  responses: { include: ["message.output_text.logprobs"], top_logprobs: 2 },
  gemini: { responseLogprobs: true, logprobs: 2 },
};
const members = ["logprobs", "top_logprobs", "include", "responseLogprobs"];

/** The members of an upstream's request that concern tokens. */
function askedOf(way: DialectPair, more: JsonObject): JsonObject {
  const body = JSON.parse(String(planOf(way, false, more).body)) as JsonObject;
  const fields = way.upstream === "gemini" ? (body.generationConfig as JsonObject) : body;
  return Object.fromEntries(Object.entries(fields).filter(([name]) => members.includes(name)));
}

const answer: ModelAnswer = {
  ...{ thinking: ["hm"], text: ["It", " floats", " 🛶"], calls: [], isCut: false, logprob: -0.5 },
  usage: { input: 9, cached: 0, output: 7, reasoning: 1 },
};
const expected = answer.text.map((token) => ({ token, logprob: -0.5, top: [["other", -1.5]] }));

test.each(dialectPairs.filter(({ client }) => client !== "messages"))(
  "logprobs are asked for and passed on, whole and streamed: $client to $upstream",
  (way) => {
    const more = requests[way.client];
    expect(askedOf(way, more)).toEqual(requests[way.upstream]);
    // Anthropic's dialect has no words for them.
    const tokens = way.upstream === "messages" ? [] : expected;
    expect(hearWhole(way, answer, more).logprobs).toEqual(tokens);
    expect(hearStream(way, answer, more).logprobs).toEqual(tokens);
  },
);

test.each(dialectPairs)("an upstream is not asked for logprobs without need: $client to $upstream", (way) => {
  expect(askedOf(way, {})).toEqual({});
});

test.each([
  [{ logprobs: true }, { logprobs: true }],
  [{ logprobs: false, top_logprobs: 3 }, {}],
  [
    { logprobs: true, top_logprobs: 1e9 },
    { logprobs: true, top_logprobs: 20 },
  ],
  [{ logprobs: true, top_logprobs: -1 }, { logprobs: true }],
])("%j of a chat client becomes a valid request for Gemini", (more, config) => {
  const { logprobs, top_logprobs: top } = config as JsonObject;
  expect(askedOf({ client: "chat", upstream: "gemini" }, more)).toEqual({
    ...(logprobs ? { responseLogprobs: true } : {}),
    ...(top ? { logprobs: top } : {}),
  });
});

test("each of two members asks for logprobs in a Responses request", () => {
  const way: DialectPair = { client: "responses", upstream: "chat" };
  expect(askedOf(way, { top_logprobs: 3 })).toEqual({ logprobs: true, top_logprobs: 3 });
  expect(askedOf(way, { include: ["message.output_text.logprobs"] })).toEqual({ logprobs: true });
  expect(askedOf(way, { include: ["reasoning.encrypted_content"] })).toEqual({});
});

test("tokens of thinking are left out of the logprobs of a text", () => {
  const tokens = atOnce(readLogprobs(["hm", "It", " floats"].map((token) => ({ token, logprob: -1 }))));
  expect(ofText(tokens, "It floats").map(({ token }) => token)).toEqual(["It", " floats"]);
  expect(ofText(tokens, "another text")).toEqual(tokens);
});

test("malformed logprobs are left out, and a token without bytes gets those of its text for Responses clients", () => {
  expect(atOnce(readLogprobs([{ token: "a" }, null, { token: null, logprob: -1, bytes: [300] }]))).toEqual([
    { token: "", logprob: -1, bytes: null, top: [] },
  ]);
  expect(atOnce(writeByteLogprobs([{ token: "é", logprob: -1, bytes: null, top: [] }]))).toEqual([
    { token: "é", logprob: -1, bytes: [195, 169], top_logprobs: [] },
  ]);
});
