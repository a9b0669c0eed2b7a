import { expect, test } from "vitest";
import {
  bodyOf,
  call,
  calling,
  convert,
  expectRefusal,
  type PartialCapabilities,
  tool,
  unspeakable,
  user,
} from "@/tests/support/chat-history";
import { usesLegacyFunctions } from "../../chat/tools-in";
import type { JsonObject } from "../../fields";

const tools = ["f", "g"].map((name) => ({ type: "function", function: { name } }));
const mark = { cache_control: { type: "ephemeral" } };

test.each<[JsonObject, string, PartialCapabilities?]>([
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
])("%j is refused, naming %s, so that no content is lost (%j)", (fields, field, takes) => {
  expectRefusal(field, fields, takes);
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

test.each<[unknown, unknown, PartialCapabilities?]>([
  [{ ...defined({ description: "d", parameters: schema }), ...mark }, marked],
  [defined({}), { input_schema: empty }],
  [defined({ parameters: { type: ["object", "null"], properties: {} } }), { input_schema: empty }],
  // The messages dialect's form, and one without the `function` level.
  [inMessages, d],
  [{ type: "custom", name: "f", input_schema: schema }, { input_schema: schema }],
  [{ type: "function", name: "f", parameters: schema }, { input_schema: schema }],
  [defined({ strict: true }), { input_schema: empty, strict: true }, { jsonSchema: true }],
  [defined({ strict: true }), { input_schema: empty }],
])("the tool %j becomes %j with the capabilities %j", (definition, expected, takes) => {
  expect(bodyOf({ tools: [definition] }, takes).tools).toEqual([{ name: "f", ...(expected as object) }]);
});

test.each<[unknown, unknown, PartialCapabilities?]>([
  [search, undefined],
  [search, [{ ...webSearch, max_uses: 10, user_location: place }], searching],
  [{ search_context_size: "constructor" }, [{ ...webSearch, max_uses: 5 }], searching],
  [{ search_context_size: unspeakable }, [{ ...webSearch, max_uses: 5 }], searching],
  [{}, [{ ...webSearch, max_uses: 5 }], searching],
])("the search %j becomes %j with the capabilities %j", (web_search_options, expected, takes) => {
  expect(bodyOf({ web_search_options }, takes).tools).toEqual(expected);
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
])("the choice of %j becomes %j", (fields, choice, names = ["f", "g"]) => {
  const body = bodyOf({ tools, ...fields });
  expect([body.tool_choice, namesOf(body) ?? []]).toEqual([choice, names]);
});

test("legacy functions become tools, and the model may call one at a time", () => {
  const functions = [{ name: "f", parameters: schema }];
  expect(usesLegacyFunctions({ functions })).toBe(true);
  expect(usesLegacyFunctions({ tools, functions })).toBe(false);
  expect(bodyOf({ functions, function_call: { name: "f" } })).toMatchObject({
    tools: [{ name: "f", input_schema: schema }],
    tool_choice: { type: "tool", name: "f", disable_parallel_tool_use: true },
  });
});

test("an illegal name becomes the same legal name in all places, and the client gets its own name back", () => {
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

test("tools that only the history names are defined, and may not be called", () => {
  const body = bodyOf({ messages: [user(), calling(call("a", "f", '{"x":1}')), tool("a")] });
  expect(body.tools).toEqual([{ name: "f", input_schema: { type: "object", properties: { x: {} } } }]);
  expect(body.tool_choice).toEqual({ type: "none" });
});

const jsonSchema = (outSchema: object, more: JsonObject = {}) => ({
  response_format: { type: "json_schema", json_schema: { name: "out", schema: outSchema } },
  ...more,
});
const any = { type: "any" };
const format = { type: "json_schema", schema: closed };
const withOwnTool = { tools: [...tools, defined({ name: "json_answer" })] };
const json = "json_answer";
const thinking = {
  thinking: "adaptive",
  effortLevels: ["low"],
  jsonSchema: true,
} satisfies PartialCapabilities;
const only = (name: string) => ({ type: "tool", name });

test.each<[JsonObject, PartialCapabilities, JsonObject]>([
  // The upstream's own form.
  [jsonSchema(closed), { jsonSchema: true }, { config: { format } }],
  // With an effort.
  [
    ...([jsonSchema(closed, { reasoning_effort: "low" }), thinking] as const),
    { config: { effort: "low", format } },
  ],
  // As a forced tool, if the upstream would refuse the schema.
  [jsonSchema(schema), { jsonSchema: true }, { stand: json, names: [json], choice: only(json) }],
  // As a forced tool, if the upstream takes no schemas.
  [jsonSchema(schema), {}, { stand: json, names: [json], choice: only(json) }],
  // Litellm#12463: as a tool among the client's own.
  [
    jsonSchema(schema, withOwnTool),
    {},
    { stand: `${json}_`, names: ["f", "g", json, `${json}_`], choice: any },
  ],
  // A forced call of the client takes precedence.
  [jsonSchema(schema, { tools, tool_choice: "required" }), {}, { names: ["f", "g"], choice: any }],
  // As a forced tool, if the model may call no other.
  [
    ...([jsonSchema(schema, { tools, tool_choice: "none" }), {}] as const),
    { stand: json, names: ["f", "g", json], choice: only(json) },
  ],
])(
  "the answer's schema in %j with the capabilities %j becomes %j",
  (fields, takes, { config, stand = null, names, choice }) => {
    const { body, schemaTool } = convert(fields, takes, 64_000);
    const terms = [body.output_config, schemaTool, namesOf(body), body.tool_choice];
    expect(terms).toEqual([config, stand, names, choice]);
    if (stand) {
      expect((body.tools as JsonObject[]).at(-1)).toMatchObject({ name: stand, input_schema: schema });
    }
  },
);

test("a JSON answer without a schema, or with one that no tool can have, is asked for in the system text", () => {
  const { body } = convert({ response_format: { type: "json_object" } });
  expect(body.system).toMatchObject([{ text: expect.stringContaining("JSON object") }]);
  const list = convert(jsonSchema({ type: "array", items: {} }));
  expect(list.body.system).toMatchObject([{ text: expect.stringContaining('"array"') }]);
  expect(list.schemaTool).toBeNull();
});
