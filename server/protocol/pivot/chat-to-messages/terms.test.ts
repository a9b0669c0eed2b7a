import { expect, test } from "vitest";
import {
  asks,
  assistant,
  bodyOf,
  call,
  calling,
  expectRefusal,
  type PartialCapabilities,
  signed,
  text,
  tool,
  user,
} from "@/tests/support/chat-history";
import type { JsonObject } from "../../fields";

const tools = ["f", "g"].map((name) => ({ type: "function", function: { name } }));
const mark = { cache_control: { type: "ephemeral" } };

test.each<[JsonObject, string, PartialCapabilities?]>([
  [{ n: 2 }, "n"],
  [{ modalities: ["text", "audio"] }, "modalities"],
  [{ modalities: { voice: "alloy" }, audio: { voice: "alloy", format: "wav" } }, "modalities"],
  [{ stop: ["a", 1] }, "stop"],
  [{ thinking: "enabled" }, "thinking"],
  [{ reasoning_effort: 3 }, "reasoning_effort"],
  [{ web_search_options: "high" }, "web_search_options"],
])("%j is refused, naming %s, so that no content is lost (%j)", (fields, field, takes) => {
  expectRefusal(field, fields, takes);
});

const bare = { model: "claude", max_tokens: 4_096, stream: false, messages: [asks(text("hi"))] };
const hints = {
  ...{ seed: 1, frequency_penalty: 1, presence_penalty: 1, logit_bias: {}, logprobs: true, top_logprobs: 2 },
  ...{ prediction: { type: "content", content: "x" }, verbosity: "low", prompt_cache_key: "k", store: true },
  ...{ metadata: { a: "b" }, modalities: ["text"], n: 1, stream_options: { include_usage: true } },
  ...{ chat_template_kwargs: {}, max_tokens: 9_999 },
};
const sampled = { temperature: 1.7, top_p: 0.5, top_k: 3 };
const hash = expect.stringMatching(/^[0-9a-f]{64}$/);

test.each<[JsonObject, JsonObject, PartialCapabilities?]>([
  // Tuning hints and vendors' fields are left out, so that the upstream does not refuse them.
  [hints, {}],
  [{}, { max_tokens: 1_000 }, { maxOutputTokens: 1_000 }],
  [{}, { max_tokens: 4_096 }, { maxOutputTokens: 8_000 }],
  // litellm#15097
  [sampled, { temperature: 1, top_p: 0.5, top_k: 3 }, { sampling: "full" }],
  [sampled, { temperature: 1, top_k: 3 }, { sampling: "one" }],
  [sampled, { top_k: 3 }, { sampling: "none" }],
  [{ top_p: 0.5, temperature: null }, { top_p: 0.5 }],
  [{ top_k: 3 }, {}, { topK: false }],
  [{ stop: "END" }, { stop_sequences: ["END"] }],
  [{ stop: ["a", "b"] }, { stop_sequences: ["a", "b"] }],
  [{ stop: [] }, {}],
  [{ stop: null }, {}],
  [{ user: "u1" }, { metadata: { user_id: "u1" } }],
  [{ safety_identifier: "s1" }, { metadata: { user_id: "s1" } }],
  [{ user: "a@example.com" }, { metadata: { user_id: hash } }],
  [{ user: "u".repeat(300) }, { metadata: { user_id: hash } }],
  [{ service_tier: "auto" }, { service_tier: "auto" }],
  [{ service_tier: "default" }, { service_tier: "standard_only" }],
  [{ service_tier: "flex" }, { service_tier: "standard_only" }],
  [{ stream: true }, { stream: true }],
])("the terms %j become %j with the capabilities %j", (fields, expected, takes) => {
  expect(bodyOf(fields, takes)).toEqual({ ...bare, ...expected });
});

test("the client's request is not changed", () => {
  const fields = { messages: [user([..."12345"].map((words) => ({ ...text(words), ...mark })))] };
  const before = structuredClone(fields);
  bodyOf(fields);
  expect(fields).toEqual(before);
});

const budget = { thinking: "budget" } as const;
const levels = { effortLevels: ["low", "medium", "high"] } satisfies PartialCapabilities;
const adaptive = { thinking: "adaptive", ...levels } as const;
const always = { thinking: "always", ...levels } as const;
const enabled = (budget_tokens: number) => ({ type: "enabled", budget_tokens });
const omitting = (tokens: number) => ({ thinking: { ...enabled(tokens), display: "omitted" } });
const summarized = { type: "adaptive", display: "summarized" };
const off = { type: "disabled" };
const effort = (reasoning_effort: string) => ({ reasoning_effort });
const low = effort("low");
const forced = { ...low, tools, tool_choice: "required" };

test.each<[JsonObject, PartialCapabilities, { thinking?: unknown; effort?: string }]>([
  [effort("minimal"), budget, { thinking: enabled(1_024) }],
  [low, budget, { thinking: enabled(1_024) }],
  [effort("medium"), budget, { thinking: enabled(4_096) }],
  [effort("high"), budget, { thinking: enabled(16_384) }],
  [effort("xhigh"), budget, { thinking: enabled(32_000) }],
  [effort("max"), budget, { thinking: enabled(32_000) }],
  [effort("none"), budget, { thinking: off }],
  [{ thinking: off }, budget, { thinking: off }],
  [{}, budget, {}],
  [omitting(100), budget, omitting(1_024)],
  [{ thinking: enabled(90_000) }, budget, { thinking: enabled(63_999) }],
  [forced, budget, {}],
  [forced, adaptive, { thinking: summarized, effort: "low" }],
  [{ ...forced, tool_choice: "auto" }, budget, { thinking: enabled(1_024) }],
  [effort("minimal"), adaptive, { thinking: summarized, effort: "low" }],
  [effort("medium"), adaptive, { thinking: summarized, effort: "medium" }],
  [effort("max"), adaptive, { thinking: summarized, effort: "high" }],
  [effort("max"), always, { thinking: summarized, effort: "high" }],
  [effort("high"), { ...adaptive, effortLevels: [] }, { thinking: summarized }],
  [{ thinking: enabled(2_000) }, adaptive, { thinking: summarized, effort: "low" }],
  [{ thinking: enabled(20_000) }, adaptive, { thinking: summarized, effort: "high" }],
  [effort("none"), adaptive, { thinking: off }],
  [effort("none"), always, { effort: "low" }],
  [{ ...effort("high"), thinking: enabled(2_000) }, {}, {}],
])("the thinking of %j with the capabilities %j becomes %j", (fields, takes, { thinking, effort: level }) => {
  const body = bodyOf(fields, takes, 64_000);
  expect([body.thinking, body.output_config]).toEqual([thinking, level && { effort: level }]);
});

test("a budget leaves room below the output limit, which is never raised", () => {
  const room = { thinking: enabled(1_024), max_tokens: 2_000 };
  expect(bodyOf(effort("high"), budget, 2_000)).toMatchObject(room);
  expect(bodyOf(effort("high"), budget, 1_024)).not.toHaveProperty("thinking");
  expect(bodyOf(effort("high"), budget, 512).max_tokens).toBe(512);
});

const step = (id: string, thinking_blocks?: JsonObject[]) => [
  { ...calling(call(id, "f", "")), thinking_blocks },
  tool(id),
];

test.each<[string, JsonObject[], boolean]>([
  ["has lost its signed thinking", step("a"), false],
  ["is a prefill without signed thinking", [assistant("{")], false],
  ["has signed thinking", step("a", [signed("hm")]), true],
  ["has signed thinking in the first step of its loop", [...step("a", [signed("hm")]), ...step("b")], true],
  [
    "has lost signed thinking that an earlier turn has",
    [...step("a", [signed("hm")]), user(), ...step("b")],
    false,
  ],
  ["is over", [...step("a"), assistant("done"), user()], true],
])(
  "litellm#15601: manual thinking stays on or goes off with an assistant's turn that %s",
  (_name, turns, isOn) => {
    const fields = { ...low, tools, messages: [user(), ...turns] };
    const body = bodyOf(fields, budget);
    expect("thinking" in body).toBe(isOn);
    const isSigned = (messages: unknown) => JSON.stringify(messages).includes('"signature"');
    expect(isSigned(body.messages)).toBe(isOn && isSigned(turns));
    expect(bodyOf(fields, adaptive)).toHaveProperty("thinking");
  },
);

test("a model that thinks gets no sampling parameters", () => {
  const sampling = { temperature: 0.5, top_p: 0.5, top_k: 3 };
  for (const takes of [budget, adaptive, always]) {
    const body = bodyOf({ ...sampling, ...low }, { ...takes, sampling: "full" });
    expect(Object.keys(body).filter((name) => name in sampling)).toEqual([]);
  }
  expect(bodyOf({ ...sampling, ...effort("none") }, budget)).toMatchObject({ temperature: 0.5 });
});
