import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { cpuTimeMs } from "@/tests/support/cpu-time";
import { callOf, planFor } from "@/tests/support/upstream-request";

import type { AnswerEvent } from "./answer";
import { AnswerSoFar, toEvents } from "./other-form";

const context = { model: "m", inputTokens: 1, fallbackId: "gen_1", now: new Date(0) };
const tools = [{ type: "function", function: { name: "weather.get", parameters: { type: "object" } } }];
const call = { id: "a", type: "function", function: { name: "weather.get", arguments: "{}" } };
const messages = [{ role: "user", content: "x" }];

test("a tool that the upstream calls by the client's own name keeps it, in an answer of either form", () => {
  const choice = { index: 0, finish_reason: "tool_calls" };
  const whole = planFor(callOf.chat({ messages, tools, stream: true }), "chat").otherForm();
  const played = atOnce(whole.play({ choices: [{ ...choice, message: { tool_calls: [call] } }] }, context));
  expect(played).toMatchObject({ text: expect.stringContaining('"weather.get"') });
  const streamed = planFor(callOf.chat({ messages, tools }), "chat").otherForm();
  const chunk = { choices: [{ ...choice, delta: { tool_calls: [{ ...call, index: 0 }] } }] };
  const collected = atOnce(streamed.collect([JSON.stringify(chunk), "[DONE]"], context));
  expect(JSON.stringify(collected)).toContain('"weather.get"');
});

test("an answer in the other form is unusable if the call fits no other dialect", () => {
  const request = callOf.chat({ messages, modalities: ["text", "audio"] });
  const form = planFor(request, "chat").otherForm();
  expect(atOnce(form.collect(["[DONE]"], context))).toBe("unusable");
  expect(atOnce(form.play({ choices: [] }, context))).toBe("unusable");
});

test("a long call whose answer comes in the other form is translated in steps", () => {
  const request = callOf.chat({ messages: Array(20_000).fill(messages).flat() });
  const chunk = { choices: [{ index: 0, delta: { content: "a" }, finish_reason: "stop" }] };
  const collecting = planFor(request, "chat")
    .otherForm()
    .collect([JSON.stringify(chunk), "[DONE]"], context);
  expect([...collecting].length).toBeGreaterThan(50);
});

test("each event has the text of its tokens, also after a token that ends within a character", () => {
  const tokens = [..."a".repeat(255), "\ud83d", "\ude00", ..."a".repeat(511)];
  const logprobs = tokens.map((token) => ({ token, logprob: 0, bytes: null, top: [] }));
  const blocks = [{ type: "text" as const, text: tokens.join(""), logprobs }];
  const events = [...toEvents({ id: "a", blocks, stop: { reason: "end", sequence: null } })];
  const lengths = events.flatMap((event) => (event.type === "grow" ? event.text.length : []));
  expect(lengths).toEqual([255, 257, 256]);
});

test("a long stream takes no longer for each of its tokens and citations", () => {
  const token = { token: "a", logprob: 0, bytes: null, top: [] };
  const citation = { url: "https://a.test", title: "", start: 0, end: 1 };
  const events = (count: number): AnswerEvent[] => [
    { type: "open", index: 0, block: { type: "text" } },
    ...Array.from(
      { length: count },
      (_, at): AnswerEvent =>
        at % 2 === 0
          ? { type: "grow", index: 0, text: "a", logprobs: [token] }
          : { type: "cite", index: 0, citation },
    ),
  ];
  const many = events(200_000);
  const before = cpuTimeMs();
  new AnswerSoFar().add(many);
  expect(cpuTimeMs() - before).toBeLessThan(2_000);
});
