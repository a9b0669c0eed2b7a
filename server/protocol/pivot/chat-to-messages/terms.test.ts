import { expect, test } from "vitest";
import {
  asks,
  assistant,
  bodyOf,
  call,
  calling,
  convert,
  expectRefusal,
  signed,
  type Takes,
  text,
  tool,
  unspeakable,
  user,
} from "@/tests/support/chat-history";
import { usesLegacyFunctions } from "../../chat/tools-in";
import type { JsonObject } from "../../fields";

const tools = ["f", "g"].map((name) => ({ type: "function", function: { name } }));
const mark = { cache_control: { type: "ephemeral" } };

test.each<[JsonObject, string, Takes?]>([
  [{ n: 2 }, "n"],
  [{ modalities: ["text", "audio"] }, "modalities"],
  [{ modalities: { voice: "alloy" }, audio: { voice: "alloy", format: "wav" } }, "modalities"],
  [{ stop: ["a", 1] }, "stop"],
  [{ thinking: "enabled" }, "thinking"],
  [{ reasoning_effort: 3 }, "reasoning_effort"],
  [{ web_search_options: "high" }, "web_search_options"],
  [{ response_format: { type: "grammar" } }, "response_format.type"],
  [{ response_format: { type: unspeakable } }, "response_format.type"],
  [{ response_format: "json" }, "response_format"],
  [{ tools: [{ type: "custom", custom: {} }] }, "tools[0]"],
  [{ tools: [{ type: "code_interpreter" }] }, "tools[0].type"],
  [{ tools: [{ type: unspeakable }] }, "tools[0].type"],
  [{ tools: [{ type: "function", function: {} }] }, "tools[0]"],
  [{ tools: [{ type: "function", function: { name: "f", parameters: "x" } }] }, "tools[0]"],
  [{ tools: "all" }, "tools"],
  [{ tools: ["f"] }, "tools"],
  [{ tools, tool_choice: { type: "custom", custom: {} } }, "tool_choice"],
  [{ tools, tool_choice: { type: unspeakable } }, "tool_choice"],
  [{ tools, tool_choice: "sometimes" }, "tool_choice"],
  [{ tools, tool_choice: 1 }, "tool_choice"],
])("%j is refused, naming %s: nothing that was said is lost (%j)", (fields, field, takes) => {
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

test.each<[JsonObject, JsonObject, Takes?]>([
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
  [{ service_tier: "flex" }, {}],
  [{ stream: true }, { stream: true }],
])("the terms %j come to %j where %j", (fields, sent, takes) => {
  expect(bodyOf(fields, takes)).toEqual({ ...bare, ...sent });
});

test("the client's request is not changed", () => {
  const fields = { messages: [user([..."12345"].map((words) => ({ ...text(words), ...mark })))] };
  const before = structuredClone(fields);
  bodyOf(fields);
  expect(fields).toEqual(before);
});

const budget = { thinking: "budget" } as const;
const levels = { effortLevels: ["low", "medium", "high"] } satisfies Takes;
const adaptive = { thinking: "adaptive", ...levels } as const;
const always = { thinking: "always", ...levels } as const;
const enabled = (budget_tokens: number) => ({ type: "enabled", budget_tokens });
const omitting = (tokens: number) => ({ thinking: { ...enabled(tokens), display: "omitted" } });
const summarized = { type: "adaptive", display: "summarized" };
const off = { type: "disabled" };
const effort = (reasoning_effort: string) => ({ reasoning_effort });
const low = effort("low");
const forced = { ...low, tools, tool_choice: "required" };

test.each<[JsonObject, Takes, { thinking?: unknown; effort?: string }]>([
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
])("the thinking of %j where %j comes to %j", (fields, takes, { thinking, effort: level }) => {
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
  ["is a prefill without it", [assistant("{")], false],
  ["has it", step("a", [signed("hm")]), true],
  ["had it in the loop's first step", [...step("a", [signed("hm")]), ...step("b")], true],
  ["lost it, though an earlier turn has it", [...step("a", [signed("hm")]), user(), ...step("b")], false],
  ["is over", [...step("a"), assistant("done"), user()], true],
])("litellm#15601: manual thinking for an assistant's turn that %s", (_name, turns, isOn) => {
  const fields = { ...low, tools, messages: [user(), ...turns] };
  const body = bodyOf(fields, budget);
  expect("thinking" in body).toBe(isOn);
  const isSigned = (messages: unknown) => JSON.stringify(messages).includes('"signature"');
  expect(isSigned(body.messages)).toBe(isOn && isSigned(turns));
  expect(bodyOf(fields, adaptive)).toHaveProperty("thinking");
});

test("a model that thinks is sent no sampling parameters", () => {
  const sampling = { temperature: 0.5, top_p: 0.5, top_k: 3 };
  for (const takes of [budget, adaptive, always]) {
    const body = bodyOf({ ...sampling, ...low }, { ...takes, sampling: "full" });
    expect(Object.keys(body).filter((name) => name in sampling)).toEqual([]);
  }
  expect(bodyOf({ ...sampling, ...effort("none") }, budget)).toMatchObject({ temperature: 0.5 });
});

const schema = { type: "object", properties: { a: { type: "string" } } };
const closed = { ...schema, additionalProperties: false };
const empty = { type: "object", properties: {} };
const defined = (more: object) => ({ type: "function", function: { name: "f", ...more } });
const shanghai = { city: "上海", country: "CN" };
const search = { search_context_size: "high", user_location: { approximate: shanghai } };
const d = { description: "d", input_schema: schema };
const marked = { ...d, ...mark };
const inMessages = { name: "f", ...d };
const searching = { webSearch: true };
const webSearch = { type: "web_search_20250305", name: "web_search" };
const place = { type: "approximate", ...shanghai };

test.each<[unknown, unknown, Takes?]>([
  [{ ...defined({ description: "d", parameters: schema }), ...mark }, marked],
  [defined({}), { input_schema: empty }],
  [defined({ parameters: { type: ["object", "null"], properties: {} } }), { input_schema: empty }],
  // The messages dialect's form, and one without the level of `function`.
  [inMessages, d],
  [{ type: "custom", name: "f", input_schema: schema }, { input_schema: schema }],
  [{ type: "function", name: "f", parameters: schema }, { input_schema: schema }],
  [defined({ strict: true }), { input_schema: empty, strict: true }, { jsonSchema: true }],
  [defined({ strict: true }), { input_schema: empty }],
])("the tool %j becomes %j where %j", (given, sent, takes) => {
  expect(bodyOf({ tools: [given] }, takes).tools).toEqual([{ name: "f", ...(sent as object) }]);
});

test.each<[unknown, unknown, Takes?]>([
  [search, undefined],
  [search, [{ ...webSearch, max_uses: 10, user_location: place }], searching],
  [{ search_context_size: "constructor" }, [{ ...webSearch, max_uses: 5 }], searching],
  [{ search_context_size: unspeakable }, [{ ...webSearch, max_uses: 5 }], searching],
  [{}, [{ ...webSearch, max_uses: 5 }], searching],
])("the search %j becomes %j where %j", (web_search_options, sent, takes) => {
  expect(bodyOf({ web_search_options }, takes).tools).toEqual(sent);
});

const namesOf = (body: JsonObject) => (body.tools as JsonObject[] | undefined)?.map((each) => each.name);
const allowed = (mode: string) => ({
  tool_choice: { type: "allowed_tools", allowed_tools: { mode, tools: [tools[1]] } },
});
const single = (tool_choice?: string) => ({ tool_choice, parallel_tool_calls: false });

test.each<[JsonObject, unknown, string[]?]>([
  [{}, undefined],
  [{ tool_choice: null }, undefined],
  [{ tool_choice: "none" }, { type: "none" }],
  [{ tool_choice: "auto" }, { type: "auto" }],
  [{ tool_choice: "required" }, { type: "any" }],
  [{ tool_choice: tools[1] }, { type: "tool", name: "g" }],
  [{ tool_choice: { type: "any" } }, { type: "any" }],
  [{ tool_choice: { type: "tool", name: "g" } }, { type: "tool", name: "g" }],
  [allowed("required"), { type: "any" }, ["g"]],
  [allowed("auto"), { type: "auto" }, ["g"]],
  [single(), { type: "auto", disable_parallel_tool_use: true }],
  [single("required"), { type: "any", disable_parallel_tool_use: true }],
  [single("none"), { type: "none" }],
  // CliRelay#739: without tools there is no choice.
  [{ tools: [], ...single("auto") }, undefined, []],
])("the choice of %j is %j", (fields, choice, names = ["f", "g"]) => {
  const body = bodyOf({ tools, ...fields });
  expect([body.tool_choice, namesOf(body) ?? []]).toEqual([choice, names]);
});

test("legacy functions become tools, of which one is called at a time", () => {
  const functions = [{ name: "f", parameters: schema }];
  expect(usesLegacyFunctions({ functions })).toBe(true);
  expect(usesLegacyFunctions({ tools, functions })).toBe(false);
  expect(bodyOf({ functions, function_call: { name: "f" } })).toMatchObject({
    tools: [{ name: "f", input_schema: schema }],
    tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true },
  });
});

test("an illegal name is the same legal one everywhere, and comes back as it was", () => {
  const name = "读取 文件";
  const chosen = { type: "function", function: { name } };
  const { body, names } = convert({
    ...{ tools: [chosen], tool_choice: chosen, messages: [user(), calling(call("a", name))] },
  });
  const legal = String(namesOf(body)?.[0]);
  expect(legal).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
  expect(body.tool_choice).toEqual({ type: "tool", name: legal });
  expect(body.messages).toMatchObject([{}, { content: [{ name: legal }] }, {}]);
  expect(names.toClient(legal)).toBe(name);
});

test("tools that only the history knows are defined, and not to be called", () => {
  const body = bodyOf({ messages: [user(), calling(call("a", "f", '{"x":1}')), tool("a")] });
  expect(body.tools).toEqual([{ name: "f", input_schema: { type: "object", properties: { x: {} } } }]);
  expect(body.tool_choice).toEqual({ type: "none" });
});

const jsonSchema = (given: object, more: JsonObject = {}) => ({
  response_format: { type: "json_schema", json_schema: { name: "out", schema: given } },
  ...more,
});
const any = { type: "any" };
const format = { type: "json_schema", schema: closed };
const own = { tools: [...tools, defined({ name: "json_answer" })] };
const json = "json_answer";
const only = (name: string) => ({ type: "tool", name });

test.each<[JsonObject, Takes, JsonObject]>([
  // The upstream's own form.
  [jsonSchema(closed), { jsonSchema: true }, { config: { format } }],
  // An effort beside it.
  [jsonSchema(closed, low), { ...adaptive, jsonSchema: true }, { config: { effort: "low", format } }],
  // A forced tool's, where the upstream would refuse it.
  [jsonSchema(schema), { jsonSchema: true }, { stand: json, names: [json], choice: only(json) }],
  // A forced tool's, where the upstream takes none.
  [jsonSchema(schema), {}, { stand: json, names: [json], choice: only(json) }],
  // Litellm#12463: a tool's beside the client's own.
  [jsonSchema(schema, own), {}, { stand: `${json}_`, names: ["f", "g", json, `${json}_`], choice: any }],
  // Outweighed by a forced call.
  [jsonSchema(schema, { tools, tool_choice: "required" }), {}, { names: ["f", "g"], choice: any }],
  // A forced tool's where no other may be called.
  [
    ...([jsonSchema(schema, { tools, tool_choice: "none" }), {}] as const),
    { stand: json, names: ["f", "g", json], choice: only(json) },
  ],
])(
  "the answer's schema in %j where %j comes to %j",
  (fields, takes, { config, stand = null, names, choice }) => {
    const { body, schemaTool } = convert(fields, takes, 64_000);
    const came = [body.output_config, schemaTool, namesOf(body), body.tool_choice];
    expect(came).toEqual([config, stand, names, choice]);
    if (stand) {
      expect((body.tools as JsonObject[]).at(-1)).toMatchObject({ name: stand, input_schema: schema });
    }
  },
);

test("a JSON answer without a schema, or with one that no tool can have, is asked for in words", () => {
  const { body } = convert({ response_format: { type: "json_object" } });
  expect(body.system).toMatchObject([{ text: expect.stringContaining("JSON object") }]);
  const list = convert(jsonSchema({ type: "array", items: {} }));
  expect(list.body.system).toMatchObject([{ text: expect.stringContaining('"array"') }]);
  expect(list.schemaTool).toBeNull();
});
