import { expect, test } from "vitest";
import { chatRequestAsMessages } from "@/tests/support/crossed";
import { type Capabilities, usualCapabilities } from "../../capabilities";
import { usesLegacyFunctions } from "../../chat/tools-in";
import type { JsonObject } from "../../fields";

function convert(more: JsonObject, takes: Partial<Capabilities> = {}) {
  const capabilities = { ...usualCapabilities.messages, ...takes };
  const fields = { model: "public", messages: [{ role: "user", content: "hi" }], ...more };
  const terms = { maxOutputTokens: 4_096, isCapped: false };
  return chatRequestAsMessages(fields, { dialect: "messages", name: "claude", capabilities }, terms);
}

const schema = { type: "object", properties: { a: { type: "string" } } };
const closed = { ...schema, additionalProperties: false };
const tool = (name: string, more: object = {}) => ({
  type: "function",
  function: { name, description: "d", parameters: schema, ...more },
});
const tools = [tool("f"), tool("g")];
const jsonSchema = (of: object = schema) => ({
  response_format: { type: "json_schema", json_schema: { name: "out", schema: of } },
});
const namesOf = (body: JsonObject) => (body.tools as JsonObject[] | undefined)?.map((each) => each.name);

test("a tool is defined with a schema that is an object", () => {
  const { body } = convert({
    tools: [
      { ...tool("f"), cache_control: { type: "ephemeral" } },
      tool("g", { parameters: undefined }),
      tool("h", { parameters: { type: ["object", "null"], properties: {} } }),
    ],
  });
  const empty = { type: "object", properties: {} };
  expect(body.tools).toEqual([
    { name: "f", description: "d", input_schema: schema, cache_control: { type: "ephemeral" } },
    { name: "g", description: "d", input_schema: empty },
    { name: "h", description: "d", input_schema: empty },
  ]);
});

test("tools in the messages dialect's form, or without the level of `function`, are taken", () => {
  const { body } = convert({
    tools: [
      { name: "f", description: "d", input_schema: schema },
      { type: "custom", name: "g", input_schema: schema },
      { type: "function", name: "h", parameters: schema },
    ],
  });
  expect(namesOf(body)).toEqual(["f", "g", "h"]);
  expect((body.tools as JsonObject[]).every((each) => each.type === undefined)).toBe(true);
});

/** Neither `String` nor a template can say what this is. */
const unspeakable = { toString: 1, valueOf: 1 };

test.each([
  ["a custom tool", { tools: [{ type: "custom", custom: { name: "f" } }] }, "tools[0].type"],
  ["a tool of the vendor's", { tools: [{ type: "code_interpreter" }] }, "tools[0].type"],
  ["a tool without a name", { tools: [{ type: "function", function: {} }] }, "tools[0]"],
  ["a forced custom tool", { tools, tool_choice: { type: "custom", custom: { name: "f" } } }, "tool_choice"],
  ["a choice of no known meaning", { tools, tool_choice: "sometimes" }, "tool_choice"],
  ["an answer by a grammar", { response_format: { type: "grammar" } }, "response_format.type"],
  ["a tool of an unspeakable type", { tools: [{ type: unspeakable }] }, "tools[0].type"],
  ["an unspeakable choice", { tools, tool_choice: { type: unspeakable } }, "tool_choice"],
  ["a number for a choice", { tools, tool_choice: 1 }, "tool_choice"],
  ["an answer of an unspeakable form", { response_format: { type: unspeakable } }, "response_format.type"],
  ["a word for the answer's form", { response_format: "json" }, "response_format"],
  ["a word for the tools", { tools: "all" }, "tools"],
  ["a word among the tools", { tools: ["f"] }, "tools"],
  ["a word for a tool's schema", { tools: [{ ...tool("f", { parameters: "x" }) }] }, "tools[0]"],
  ["a word for thinking", { thinking: "enabled" }, "thinking"],
  ["a number for an effort", { reasoning_effort: 3 }, "reasoning_effort"],
  ["a word for a search", { web_search_options: "high" }, "web_search_options"],
  ["a number for a stop sequence", { stop: ["a", 1] }, "stop"],
])("%s is refused", (_name, more, field) => {
  expect(() => convert(more)).toThrow(
    expect.objectContaining({ kind: "cannotConvert", message: expect.stringContaining(field) }),
  );
});

test.each([
  ["none", { type: "none" }],
  ["auto", { type: "auto" }],
  ["required", { type: "any" }],
  [
    { type: "function", function: { name: "g" } },
    { type: "tool", name: "g" },
  ],
  [{ type: "any" }, { type: "any" }],
  [
    { type: "tool", name: "g" },
    { type: "tool", name: "g" },
  ],
  [null, undefined],
])("tool_choice %j becomes %j", (tool_choice, choice) => {
  expect(convert({ tools, tool_choice }).body.tool_choice).toEqual(choice);
});

test("of allowed tools only those are defined", () => {
  const allowed = (mode: string) => ({
    type: "allowed_tools",
    allowed_tools: { mode, tools: [{ type: "function", function: { name: "g" } }] },
  });
  const { body } = convert({ tools, tool_choice: allowed("required") });
  expect([namesOf(body), body.tool_choice]).toEqual([["g"], { type: "any" }]);
  expect(convert({ tools, tool_choice: allowed("auto") }).body.tool_choice).toEqual({ type: "auto" });
});

test.each([
  [undefined, { type: "auto", disable_parallel_tool_use: true }],
  ["required", { type: "any", disable_parallel_tool_use: true }],
  ["none", { type: "none" }],
])("one call at a time with tool_choice %j becomes %j", (tool_choice, choice) => {
  expect(convert({ tools, tool_choice, parallel_tool_calls: false }).body.tool_choice).toEqual(choice);
});

test("CliRelay#739: without tools there is no tool_choice", () => {
  const { body } = convert({ tools: [], tool_choice: "auto", parallel_tool_calls: false });
  expect(body).not.toHaveProperty("tools");
  expect(body).not.toHaveProperty("tool_choice");
});

test("legacy functions become tools, of which one is called at a time", () => {
  const functions = [{ name: "f", parameters: schema }];
  const { body } = convert({ functions, function_call: { name: "f" } });
  expect([usesLegacyFunctions({ functions }), usesLegacyFunctions({ tools, functions })]).toEqual([
    true,
    false,
  ]);
  expect(body.tools).toEqual([{ name: "f", input_schema: schema }]);
  expect(body.tool_choice).toEqual({ type: "tool", name: "f", disable_parallel_tool_use: true });
});

test("an illegal name is the same legal one everywhere, and comes back as it was", () => {
  const name = "读取 文件";
  const { body, names } = convert({
    tools: [tool(name)],
    tool_choice: { type: "function", function: { name } },
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", tool_calls: [{ id: "a", function: { name, arguments: "" } }] },
    ],
  });
  const legal = String(namesOf(body)?.[0]);
  expect(legal).toMatch(/^[a-zA-Z0-9_-]{1,128}$/);
  expect(body.tool_choice).toEqual({ type: "tool", name: legal });
  expect(body.messages).toMatchObject([{}, { content: [{ name: legal }] }, {}]);
  expect(names.toClient(legal)).toBe(name);
});

test("tools that only the history knows are defined, and not to be called", () => {
  const { body } = convert({
    messages: [
      { role: "user", content: "hi" },
      { role: "assistant", tool_calls: [{ id: "a", function: { name: "f", arguments: '{"x":1}' } }] },
      { role: "tool", tool_call_id: "a", content: "ok" },
    ],
  });
  expect(body.tools).toEqual([{ name: "f", input_schema: { type: "object", properties: { x: {} } } }]);
  expect(body.tool_choice).toEqual({ type: "none" });
});

test("a JSON schema goes to an upstream that takes one", () => {
  const { body, schemaTool } = convert(jsonSchema(closed), { jsonSchema: true });
  expect(body.output_config).toEqual({ format: { type: "json_schema", schema: closed } });
  expect([schemaTool, body.tools]).toEqual([null, undefined]);
});

test("a JSON schema that the upstream would refuse, or that it does not take, is a forced tool's", () => {
  for (const { body, schemaTool } of [convert(jsonSchema(), { jsonSchema: true }), convert(jsonSchema())]) {
    expect(body.tool_choice).toEqual({ type: "tool", name: schemaTool });
    expect(body.tools).toMatchObject([{ name: schemaTool, input_schema: schema }]);
    expect(body).not.toHaveProperty("output_config");
  }
});

test("litellm#12463: beside the client's own tools, the model may choose which to call", () => {
  const { body, schemaTool } = convert({ tools: [...tools, tool("json_answer")], ...jsonSchema() });
  expect(schemaTool).toBe("json_answer_");
  expect(namesOf(body)).toEqual(["f", "g", "json_answer", schemaTool]);
  expect(body.tool_choice).toEqual({ type: "any" });
});

test("a client's tool_choice outweighs the answer's form", () => {
  const forced = convert({ tools, tool_choice: "required", ...jsonSchema() });
  expect([forced.schemaTool, namesOf(forced.body)]).toEqual([null, ["f", "g"]]);
  const barred = convert({ tools, tool_choice: "none", ...jsonSchema() });
  expect(barred.body.tool_choice).toEqual({ type: "tool", name: barred.schemaTool });
});

test("a JSON answer without a schema, or with one that no tool can have, is asked for in words", () => {
  const { body } = convert({ response_format: { type: "json_object" } });
  expect(body.system).toMatchObject([{ text: expect.stringContaining("JSON object") }]);
  const list = convert(jsonSchema({ type: "array", items: {} }));
  expect(list.body.system).toMatchObject([{ text: expect.stringContaining('"array"') }]);
  expect(list.schemaTool).toBeNull();
});

test("web search is asked of an upstream that searches, and of no other", () => {
  const web_search_options = {
    search_context_size: "high",
    user_location: { type: "approximate", approximate: { city: "上海", country: "CN" } },
  };
  expect(convert({ web_search_options }).body).not.toHaveProperty("tools");
  expect(convert({ web_search_options }, { webSearch: true }).body.tools).toEqual([
    {
      type: "web_search_20250305",
      name: "web_search",
      max_uses: 10,
      user_location: { type: "approximate", city: "上海", country: "CN" },
    },
  ]);
});

test.each(["constructor", unspeakable, undefined])("a search of the size %j is a usual one", (size) => {
  const { body } = convert({ web_search_options: { search_context_size: size } }, { webSearch: true });
  expect(body.tools).toMatchObject([{ max_uses: 5 }]);
});

test("strict tools stay strict where the upstream knows schemas", () => {
  const strict = [tool("f", { strict: true })];
  expect(convert({ tools: strict }, { jsonSchema: true }).body.tools).toMatchObject([{ strict: true }]);
  expect((convert({ tools: strict }).body.tools as JsonObject[])[0]).not.toHaveProperty("strict");
});
