import { expect, test } from "vitest";
import { chatRequestAsMessages } from "@/tests/support/crossed";
import { type Capabilities, usualCapabilities } from "../../capabilities";
import type { JsonObject } from "../../fields";

function convert(more: JsonObject, takes: Partial<Capabilities> = {}, maxOutputTokens = 4_096): JsonObject {
  const capabilities = { ...usualCapabilities.messages, ...takes };
  const fields = { model: "public", messages: [{ role: "user", content: "hi" }], ...more };
  const upstream = { dialect: "messages" as const, name: "claude", capabilities };
  return chatRequestAsMessages(fields, upstream, { maxOutputTokens, isCapped: false }).body;
}

const messages = [{ role: "user", content: [{ type: "text", text: "hi" }] }];

test("tuning hints and vendors' fields are left out, so that the upstream does not refuse them", () => {
  const hints = {
    seed: 1,
    frequency_penalty: 1,
    presence_penalty: 1,
    logit_bias: {},
    logprobs: true,
    top_logprobs: 2,
    prediction: { type: "content", content: "x" },
    verbosity: "low",
    prompt_cache_key: "k",
    metadata: { a: "b" },
    store: true,
    modalities: ["text"],
    n: 1,
    stream_options: { include_usage: true },
    chat_template_kwargs: {},
    max_tokens: 9_999,
  };
  expect(convert(hints)).toEqual({ model: "claude", max_tokens: 4_096, stream: false, messages });
});

test("the output limit is the one that was paid for, or the upstream's where that is lower", () => {
  expect(convert({}, { maxOutputTokens: 1_000 })).toMatchObject({ max_tokens: 1_000 });
  expect(convert({}, { maxOutputTokens: 8_000 })).toMatchObject({ max_tokens: 4_096 });
  expect(convert({ reasoning_effort: "high" }, { thinking: "budget" }, 512).max_tokens).toBe(512);
});

test.each([
  ["n", { n: 2 }],
  ["modalities", { modalities: ["text", "audio"] }],
  ["modalities", { audio: { voice: "alloy", format: "wav" } }],
])("%s that no answer of the upstream could meet is refused", (field, more) => {
  expect(() => convert(more)).toThrow(
    expect.objectContaining({ kind: "cannotConvert", message: expect.stringContaining(field) }),
  );
});

test.each([
  ["full", { temperature: 1, top_p: 0.5, top_k: 3 }],
  ["one", { temperature: 1, top_k: 3 }],
  ["none", { top_k: 3 }],
] as const)("litellm#15097: with %s sampling, temperature 1.7 and top_p come to %j", (sampling, expected) => {
  const body = convert({ temperature: 1.7, top_p: 0.5, top_k: 3 }, { sampling });
  expect(body).toEqual({ model: "claude", max_tokens: 4_096, stream: false, messages, ...expected });
});

test("top_p stays where it is the only one, top_k goes where it is not known", () => {
  expect(convert({ top_p: 0.5, temperature: null })).toMatchObject({ top_p: 0.5 });
  expect(convert({ top_k: 3 }, { topK: false })).not.toHaveProperty("top_k");
});

test.each([
  ["END", ["END"]],
  [
    ["a", " ", "", "b"],
    ["a", "b"],
  ],
  [["\n"], undefined],
  [[], undefined],
  [null, undefined],
])("stop %j becomes %j", (stop, sequences) => {
  expect(convert({ stop }).stop_sequences).toEqual(sequences);
});

test("more stops than the upstream takes are refused", () => {
  expect(() => convert({ stop: ["a", "b"] }, { maxStops: 1 })).toThrow(/stop/);
});

test("the user is named, but never by an address or by more than the upstream takes", () => {
  expect(convert({ user: "u1" }).metadata).toEqual({ user_id: "u1" });
  expect(convert({ safety_identifier: "s1" }).metadata).toEqual({ user_id: "s1" });
  for (const user of ["a@example.com", "u".repeat(300)]) {
    expect(convert({ user }).metadata).toEqual({ user_id: expect.stringMatching(/^[0-9a-f]{64}$/) });
  }
});

test.each([
  ["auto", "auto"],
  ["default", "standard_only"],
  ["flex", undefined],
])("service_tier %s becomes %s", (service_tier, tier) => {
  expect(convert({ service_tier }).service_tier).toBe(tier);
});

test("the client's request is not changed", () => {
  const part = { type: "text", text: "hi", cache_control: { type: "ephemeral" } };
  const fields = { messages: [{ role: "user", content: [part, part, part, part, part] }], stream: true };
  const before = structuredClone(fields);
  expect(convert(fields).stream).toBe(true);
  expect(fields).toEqual(before);
});
