import { describe, expect, test } from "vitest";
import { messagesRequestAsChat } from "@/tests/support/crossed";
import { type Capabilities, usualCapabilities } from "../../capabilities";

const convert = (fields: object, capabilities: Partial<Capabilities> = {}, maxOutputTokens = 100) =>
  messagesRequestAsChat(
    { model: "public", messages: [{ role: "user", content: "hi" }], ...fields },
    { dialect: "chat", name: "vendor-model", capabilities: { ...usualCapabilities.chat, ...capabilities } },
    { maxOutputTokens, isCapped: false },
  ).body;

test("a bare request is the upstream's model, the messages and the paid limit", () => {
  expect(convert({})).toEqual({
    model: "vendor-model",
    messages: [{ role: "user", content: "hi" }],
    max_tokens: 100,
  });
});

test("a stream asks for its usage", () => {
  expect(convert({ stream: true })).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

test("the limit goes under the upstream's name for it, and no higher than it takes", () => {
  expect(convert({}, { outputTokenField: "max_completion_tokens" })).toMatchObject({
    max_completion_tokens: 100,
  });
  expect(convert({}, { maxOutputTokens: 64 })).toMatchObject({ max_tokens: 64 });
  expect(convert({}, { maxOutputTokens: 640 })).toMatchObject({ max_tokens: 100 });
});

test("what Claude Code adds to every request does not reach the upstream", () => {
  const body = convert({
    context_management: { edits: [] },
    cache_control: { type: "ephemeral" },
    container: "c",
    speed: "fast",
    diagnostics: {},
    inference_geo: "us",
    mcp_servers: [],
    betas: ["x"],
  });
  expect(Object.keys(body)).toEqual(["model", "messages", "max_tokens"]);
});

/** Neither `String` nor a template can say what this is. */
const unspeakable = { toString: 1, valueOf: 1 };

test.each([
  [{ max_tokens: 0 }, "max_tokens"],
  [{ mcp_servers: [{ type: "url", url: "https://m" }] }, "mcp_servers"],
  [{ stop_sequences: ["a", "b", "c", "d", "e"] }, "stop_sequences"],
  [{ output_format: { type: "grammar" } }, "output_config.format"],
  [{ thinking: "enabled" }, "thinking"],
  [{ thinking: { type: 1 } }, "thinking.type"],
  [{ output_config: "high" }, "output_config"],
  [{ metadata: "me" }, "metadata"],
  [{ metadata: { user_id: 5 } }, "metadata.user_id"],
  [{ tool_choice: "auto" }, "tool_choice"],
  [{ tools: [{ name: "f" }], tool_choice: { type: unspeakable } }, "tool_choice.type"],
  [{ tools: [{ name: "f" }], tool_choice: { type: "tool", name: unspeakable } }, "tool_choice.name"],
  [{ tools: [{ type: unspeakable }] }, "tools"],
  [{ tools: [{ name: "f", type: unspeakable }] }, "tools"],
  [{ tools: [{ name: "f", input_schema: "x" }] }, "tools: input_schema"],
  [{ tools: [{ name: "f", description: 5 }] }, "tools: description"],
])("%j is refused by the field's name", (fields, words) => {
  expect(() => convert(fields)).toThrow(words);
  expect(() => convert(fields)).toThrow(expect.objectContaining({ kind: "cannotConvert", status: 400 }));
});

describe("sampling", () => {
  const given = { temperature: 0.5, top_p: 0.9, top_k: 5 };
  test.each([
    [
      { sampling: "full", topK: false },
      { temperature: 0.5, top_p: 0.9 },
    ],
    [{ sampling: "one", topK: false }, { temperature: 0.5 }],
    [{ sampling: "none", topK: true }, { top_k: 5 }],
  ] as const)("%j lets through %j", (capabilities, sent) => {
    const { model, messages, max_tokens, ...rest } = convert(given, capabilities);
    expect(rest).toEqual(sent);
  });

  test("top_p alone is the one", () => {
    expect(convert({ top_p: 0.9 }, { sampling: "one" })).toMatchObject({ top_p: 0.9 });
  });
});

test("stop sequences go up to the upstream's number", () => {
  expect(convert({ stop_sequences: ["a", ""] }).stop).toEqual(["a"]);
  expect(convert({ stop_sequences: [] })).not.toHaveProperty("stop");
  expect(convert({ stop_sequences: ["a", "b", "c", "d", "e"] }, { maxStops: null }).stop).toHaveLength(5);
  expect(() => convert({ stop_sequences: ["a"] }, { maxStops: 0 })).toThrow("stop_sequences");
});

test("the user's id goes, a long one as its hash, always the same", () => {
  expect(convert({ metadata: { user_id: "u" } }).user).toBe("u");
  const long = { metadata: { user_id: `user_${"x".repeat(150)}` } };
  expect(convert(long).user).toMatch(/^[0-9a-f]{64}$/);
  expect(convert(long).user).toBe(convert(long).user);
});

test.each([
  ["auto", "auto"],
  ["standard_only", "default"],
  ["constructor", undefined],
])("service tier %s is %s", (service_tier, sent) => {
  expect(convert({ service_tier }).service_tier).toBe(sent);
});

describe("a schema for the answer", () => {
  const closed = {
    type: "object",
    properties: { a: { type: "string" } },
    required: ["a"],
    additionalProperties: false,
  };
  const open = { type: "object", properties: { a: { type: "string" } } };
  const format = (schema: object) => ({ type: "json_schema", schema });

  test.each([
    [{ output_config: { format: format(closed) } }, { name: "response", schema: closed, strict: true }],
    [{ output_format: format(open) }, { name: "response", schema: open }],
    [
      { output_config: { format: format({ ...closed, not: {} }) } },
      { name: "response", schema: { ...closed, not: {} } },
    ],
  ])("%j is %j", (fields, json_schema) => {
    expect(convert(fields).response_format).toEqual({ type: "json_schema", json_schema });
  });

  test("is refused where the upstream would ignore it", () => {
    expect(() => convert({ output_format: format(open) }, { jsonSchema: false })).toThrow(
      "output_config.format",
    );
  });
});

describe("thinking", () => {
  const enabled = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } });
  const adaptive = { thinking: { type: "adaptive" } };
  const disabled = { thinking: { type: "disabled" } };
  const effort = (value: string) => ({ output_config: { effort: value } });
  const three: Partial<Capabilities> = { thinking: "effort", effortLevels: ["low", "medium", "high"] };
  const asked = (fields: object, capabilities: Partial<Capabilities>) => {
    const { model, messages, max_tokens, ...rest } = convert(fields, capabilities);
    return rest;
  };

  test.each([
    [enabled(1024), "low"],
    [enabled(8192), "medium"],
    [enabled(32_000), "high"],
    [{ ...enabled(1024), ...effort("high") }, "high"],
    [{ ...adaptive, ...effort("max") }, "high"],
    [effort("low"), "low"],
    [adaptive, undefined],
    [disabled, undefined],
    [{ ...disabled, ...effort("high") }, undefined],
    [{}, undefined],
  ])("%j asks for effort %s", (fields, level) => {
    expect(asked(fields, three)).toEqual(level === undefined ? {} : { reasoning_effort: level });
  });

  test("an effort is clipped to what the upstream takes, and switched off only by its own word", () => {
    const levels: Partial<Capabilities> = { thinking: "effort", effortLevels: ["none", "medium", "high"] };
    expect(asked(effort("low"), levels)).toEqual({ reasoning_effort: "medium" });
    expect(asked(disabled, levels)).toEqual({ reasoning_effort: "none" });
    expect(asked(effort("low"), { thinking: "effort", effortLevels: [] })).toEqual({});
  });

  test.each([
    ["type", enabled(2000), { thinking: { type: "enabled" } }],
    ["type", adaptive, { thinking: { type: "enabled" } }],
    ["type", disabled, { thinking: { type: "disabled" } }],
    ["type", {}, {}],
    ["enable_thinking", enabled(2000), { enable_thinking: true, thinking_budget: 2000 }],
    ["enable_thinking", adaptive, { enable_thinking: true }],
    ["enable_thinking", disabled, { enable_thinking: false }],
    ["chat_template", disabled, { chat_template_kwargs: { enable_thinking: false, thinking: false } }],
    ["none", { ...enabled(2000), ...effort("high") }, {}],
  ] as const)("%s: %j is %j", (thinking, fields, sent) => {
    expect(asked(fields, { thinking })).toEqual(sent);
  });

  test("a vendor with a switch and levels gets both", () => {
    expect(asked({ ...adaptive, ...effort("high") }, { ...three, thinking: "type" })).toEqual({
      thinking: { type: "enabled" },
      reasoning_effort: "high",
    });
  });
});
