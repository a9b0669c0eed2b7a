/** Each scalar member over each pair of dialects is carried with its value, or named as ignored: never neither. */
import { expect, test } from "vitest";
import { callOf, planFor } from "@/tests/support/upstream-request";
import { type Capabilities, type Dialect, usualCapabilities } from "./capabilities";
import { parseCompletion } from "./completions/conversation";
import type { JsonObject } from "./fields";
import { ignoredMembers } from "./ignored-members";
import type { Conversation } from "./pivot/conversation";
import { type ClientDialect, namesIn, type ScalarName, scalarEntries, scalarMembers } from "./scalar-members";
import { valueAt } from "./scalars";

const dialects = ["chat", "messages", "responses", "gemini"] as const;
const clients = [...dialects, "completions"] as const;

/** A value of each row that every dialect with the member has. */
const samples: Record<ScalarName, unknown> = {
  temperature: 0.5,
  top_p: 0.25,
  top_k: 7,
  limit: 100,
  n: 1,
  stop: ["END"],
  seed: 11,
  frequency_penalty: 0.5,
  presence_penalty: -0.5,
  logit_bias: { "50256": -100 },
  verbosity: "low",
  metadata: { ticket: "17" },
  prompt_cache_key: "thread-1",
  prompt_cache_retention: "24h",
  user: "u1",
  service_tier: "auto",
  truncation: "auto",
};

/** The fields of a call with one more member, at a name with dots. */
const withMember = (name: string, value: unknown): JsonObject => {
  const [parent = "", child] = name.split(".");
  return child === undefined ? { [parent]: value } : { [parent]: { [child]: value } };
};

const turn = [{ role: "user", content: "hi" }];
const calls: Record<ClientDialect, (more: JsonObject) => ReturnType<typeof parseCompletion>> = {
  chat: (more) => callOf.chat({ messages: turn, ...more }),
  messages: (more) => callOf.messages({ messages: turn, ...more }),
  responses: (more) => callOf.responses({ input: "hi", ...more }),
  gemini: (more) => callOf.gemini({ contents: [{ role: "user", parts: [{ text: "hi" }] }], ...more }),
  completions: (more) => parseCompletion(JSON.stringify({ model: "public", prompt: "hi", ...more })),
};

const all: Partial<Capabilities> = { sampling: "full", topK: true, refusedMembers: [] };

function sent([client, upstream]: readonly [ClientDialect, Dialect], more: JsonObject, takes = all) {
  const { body, ignored } = planFor(calls[client](more), upstream, takes);
  return { body: JSON.parse(String(body)) as JsonObject, ignored };
}

const pairs = clients.flatMap((client) =>
  dialects.filter((upstream) => upstream !== client).map((upstream) => [client, upstream] as const),
);

const members = pairs.flatMap(([client, upstream]) =>
  scalarEntries.flatMap(([row, member]) =>
    namesIn(member, client).map((name) => ({ client, upstream, row, name })),
  ),
);

test.each(members)(
  "$name of $client over $upstream is carried with its value, or named as ignored",
  (member) => {
    const { client, upstream, row, name } = member;
    const { body, ignored } = sent([client, upstream], withMember(name, samples[row]));
    const [there] = namesIn(scalarMembers[row], upstream);
    const isCutHere = row === "stop" && upstream === "responses";
    const isUsual = row === "service_tier" && upstream === "gemini";
    const isHandled = row === "n" || isCutHere || isUsual;
    expect(ignored).toEqual(there || isHandled ? [] : [{ member: name, reason: "dialect" }]);
    if (there && !isHandled) {
      expect(valueAt(body, there)).toEqual(samples[row]);
    }
  },
);

test.each(pairs)(
  "%s over %s: members that Tollgate does not know are named as ignored, in the request's order",
  (...pair) => {
    const more = { zebra: 1, ape: { a: 1 }, nothing: null, none: [], "": 3, __proto: false };
    expect(sent(pair, more).ignored).toEqual(
      ["zebra", "ape", "", "__proto"].map((member) => ({ member, reason: "unknown" })),
    );
  },
);

test("a call with all its members loses them in the request's order, and at most 64 are named", () => {
  const more = { seed: 1, foo: 1, logit_bias: { a: 1 }, text: "x" };
  expect(sent(["chat", "messages"], more).ignored.map(({ member }) => member)).toEqual([
    "seed",
    "foo",
    "logit_bias",
    "text",
  ]);
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, 1]));
  expect(sent(["chat", "messages"], many).ignored).toHaveLength(64);
});

test("a call's members are listed once, however many upstreams it tries", () => {
  let walks = 0;
  const fields = new Proxy<JsonObject>(
    { messages: turn, foo: 1 },
    {
      ownKeys: (target) => {
        walks++;
        return Reflect.ownKeys(target);
      },
    },
  );
  const conversation = { scalars: {} } as Conversation;
  for (const dialect of dialects) {
    const upstream = {
      dialect,
      capabilities: usualCapabilities[dialect],
      operation: "chat",
      body: {},
    } as const;
    const ignored = ignoredMembers({ dialect: "completions", fields }, conversation, upstream);
    expect(ignored).toContainEqual({ member: "foo", reason: "unknown" });
  }
  expect(walks).toBe(1);
});

test("a call that stays in its dialect ignores nothing", () => {
  expect(sent(["chat", "chat"], { seed: 1, foo: 1 }).ignored).toEqual([]);
  expect(sent(["messages", "messages"], { container: "c" }).ignored).toEqual([]);
});

test.each([
  ["chat", "gemini", { frequency_penalty: 2 }, { frequencyPenalty: 1.99 }],
  ["chat", "gemini", { seed: -5 }, { seed: -5 }],
] as const)(
  "%s over %s: %j is clamped to the range of the upstream",
  (...[client, upstream, more, expected]) => {
    expect(sent([client, upstream], more).body.generationConfig).toMatchObject(expected);
  },
);

test.each([
  ["chat", "gemini", { seed: 5_000_000_000 }, "seed", "value"],
  ["chat", "responses", { verbosity: "endless" }, "verbosity", "value"],
  ["chat", "responses", { metadata: { a: 1 } }, "metadata", "value"],
  ["chat", "responses", { user: "u1", safety_identifier: "s1" }, "safety_identifier", "value"],
  ["chat", "messages", { service_tier: "flex" }, "service_tier", "value"],
  ["chat", "responses", { service_tier: "batch" }, "service_tier", "value"],
  ["chat", "gemini", { service_tier: "priority" }, "service_tier", "value"],
  ["messages", "chat", { metadata: { team: "x" } }, "metadata.team", "unknown"],
  ["responses", "chat", { text: { form: "x" } }, "text.form", "unknown"],
  ["responses", "messages", { reasoning: { context: "all" } }, "reasoning.context", "unknown"],
  [
    "gemini",
    "chat",
    { generationConfig: { mediaResolution: "x" } },
    "generationConfig.mediaResolution",
    "unknown",
  ],
  ["gemini", "chat", { generation_config: { top_k: 3 } }, "generationConfig.topK", "model", { topK: false }],
  ["chat", "messages", { temperature: 1, top_p: 0.5 }, "top_p", "model", { sampling: "one" }],
  ["chat", "messages", { logprobs: true }, "logprobs", "dialect"],
  ["chat", "messages", { reasoning_effort: "high" }, "reasoning_effort", "model"],
  ["messages", "chat", { thinking: { type: "enabled", budget_tokens: 2_000 } }, "thinking", "model"],
  ["messages", "chat", { cache_control: { type: "ephemeral" } }, "cache_control", "model"],
  ["messages", "responses", { cache_control: { type: "ephemeral" } }, "cache_control", "dialect"],
  [
    "responses",
    "chat",
    { text: { verbosity: "low" } },
    "text.verbosity",
    "model",
    { refusedMembers: ["verbosity"] },
  ],
] as const)("%s over %s: %j names %s as ignored (%s)", (...row) => {
  const [client, upstream, more, member, reason, takes] = row;
  expect(
    sent([client, upstream], more, { ...all, ...(takes as Partial<Capabilities> | undefined) }).ignored,
  ).toEqual([{ member, reason }]);
});

test.each([
  ["chat", "messages", "default", "standard_only", []],
  ["chat", "messages", "flex", "standard_only", ["service_tier"]],
  ["chat", "messages", "priority", "standard_only", ["service_tier"]],
  ["responses", "messages", "batch", "standard_only", ["service_tier"]],
  ["chat", "responses", "flex", "flex", []],
  ["responses", "chat", "priority", "default", ["service_tier"]],
  ["responses", "chat", "scale", "default", ["service_tier"]],
] as const)(
  "%s over %s: the tier %s is asked for as %s, so that no vendor chooses a dearer one",
  (...[client, upstream, tier, expected, lost]) => {
    const { body, ignored } = sent([client, upstream], { service_tier: tier });
    expect(body.service_tier).toBe(expected);
    expect(ignored.map(({ member }) => member)).toEqual(lost);
  },
);

test("a channel whose dearer tiers have prices is asked for priority in the words of its dialect", () => {
  const takes = { ...all, premiumTiers: true };
  const tier = { service_tier: "priority" };
  expect(sent(["responses", "chat"], tier, takes).body.service_tier).toBe("priority");
  expect(sent(["chat", "messages"], tier, takes).body.service_tier).toBe("auto");
});

test.each([
  ["chat", "gemini", { n: 2, seed: 1 }, "seed"],
  ["completions", "chat", { n: 2, seed: 1 }, "seed"],
  ["gemini", "gemini", { generationConfig: { candidateCount: 2, seed: 1 } }, "generationConfig.seed"],
] as const)(
  "%s over %s: each of several answers is asked for without the seed, as all would be the same: %j",
  (...row) => {
    const [client, upstream, more, member] = row;
    const single = calls[client](more).several?.calls() ?? [];
    expect(single).toHaveLength(2);
    for (const call of single) {
      const { body, ignored } = planFor(call, upstream, all);
      expect(body).not.toContain("seed");
      expect(ignored).toEqual([{ member, reason: "value" }]);
    }
  },
);

test("each of several prompts keeps the seed", () => {
  const single = calls.completions({ prompt: ["a", "b"], seed: 1 }).several?.calls() ?? [];
  expect(single.map((call) => planFor(call, "chat", all).ignored)).toEqual([[], []]);
});

test("parallel_tool_calls of false is carried if the upstream has it, and named as ignored otherwise", () => {
  const tools = [{ type: "function", function: { name: "f" } }];
  const serial = { tools, parallel_tool_calls: false };
  expect(sent(["chat", "messages"], serial)).toMatchObject({
    body: { tool_choice: { disable_parallel_tool_use: true } },
    ignored: [],
  });
  expect(sent(["chat", "gemini"], serial).ignored).toEqual([
    { member: "parallel_tool_calls", reason: "dialect" },
  ]);
  expect(sent(["chat", "gemini"], { tools, parallel_tool_calls: true }).ignored).toEqual([]);
  const choice = { type: "auto", disable_parallel_tool_use: true };
  expect(
    sent(["messages", "gemini"], { tools: [{ name: "f", input_schema: {} }], tool_choice: choice }).ignored,
  ).toEqual([{ member: "tool_choice.disable_parallel_tool_use", reason: "dialect" }]);
});

test.each([
  ["chat", "messages", { reasoning_effort: "none" }],
  ["messages", "chat", { thinking: { type: "disabled" } }],
  ["chat", "gemini", { frequency_penalty: 0, logprobs: false }],
  ["responses", "chat", { truncation: "disabled", store: true, client_metadata: { a: "b" } }],
  ["responses", "messages", { reasoning: { summary: "auto" }, include: ["reasoning.encrypted_content"] }],
  ["gemini", "chat", { generationConfig: { thinkingConfig: { includeThoughts: false } } }],
] as const)(
  "%s over %s: %j changes nothing at the upstream, and is not named as ignored",
  (client, upstream, more) => {
    expect(sent([client, upstream], more).ignored).toEqual([]);
  },
);
