import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import {
  bodyOf,
  expectRefusal,
  type PartialCapabilities,
  unspeakable,
} from "@/tests/support/messages-history";
import { usualCapabilities } from "../../capabilities";
import { toChatTools } from "../../chat/tools-out";
import type { JsonObject } from "../../fields";
import { readConversation } from "../../messages/request-in";

const bare = { model: "vendor-model", messages: [{ role: "user", content: "hi" }], max_tokens: 100 };
const { max_tokens: _limit, ...unlimited } = bare;
/** Members that Claude Code adds to every request. */
const extras = {
  ...{
    context_management: { edits: [] },
    cache_control: { type: "ephemeral" },
    container: "c",
    speed: "fast",
  },
  ...{ diagnostics: {}, inference_geo: "us", mcp_servers: [], betas: ["x"] },
};
const sampled = { temperature: 0.5, top_p: 0.9, top_k: 5 };
const many = ["a", "b", "c", "d", "e"];
const closed = {
  ...{ type: "object", properties: { a: { type: "string" } } },
  ...{ required: ["a"], additionalProperties: false },
};
const open = { type: "object", properties: { a: { type: "string" } } };
const inForm = (schema: object) => ({ format: { type: "json_schema", schema } });
const formed = (schema: object, more: object = {}) => ({
  response_format: { type: "json_schema", json_schema: { name: "response", schema, ...more } },
});

const enabled = (budget_tokens: number) => ({ thinking: { type: "enabled", budget_tokens } });
const adaptive = { thinking: { type: "adaptive" } };
const disabled = { thinking: { type: "disabled" } };
const effort = (value: string) => ({ output_config: { effort: value } });
const three = { thinking: "effort", effortLevels: ["low", "medium", "high"] } satisfies PartialCapabilities;
const two = { thinking: "effort", effortLevels: ["none", "medium", "high"] } satisfies PartialCapabilities;
const low = { reasoning_effort: "low" };
const high = { reasoning_effort: "high" };

test.each<[JsonObject, JsonObject, PartialCapabilities?]>([
  [extras, {}],
  [{ stream: true }, { stream: true, stream_options: { include_usage: true } }],
  [{}, { max_tokens: 64 }, { maxOutputTokens: 64 }],
  [{}, { max_tokens: 100 }, { maxOutputTokens: 640 }],
  [sampled, { temperature: 0.5, top_p: 0.9 }, { sampling: "full", topK: false }],
  [sampled, { temperature: 0.5 }, { sampling: "one", topK: false }],
  [sampled, { top_k: 5 }, { sampling: "none", topK: true }],
  [{ top_p: 0.9 }, { top_p: 0.9 }, { sampling: "one" }],
  [{ stop_sequences: ["a"] }, { stop: ["a"] }],
  [{ stop_sequences: [] }, {}],
  [{ stop_sequences: many }, { stop: many }, { maxStops: null }],
  [{ metadata: { user_id: "u" } }, { user: "u" }],
  [{ metadata: { user_id: "x".repeat(150) } }, { user: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  [{ service_tier: "auto" }, { service_tier: "auto" }],
  [{ service_tier: "standard_only" }, { service_tier: "default" }],
  [{ service_tier: "constructor" }, {}],
  [{ output_config: inForm(closed) }, formed(closed, { strict: true })],
  [{ output_format: inForm(open).format }, formed(open)],
  [{ output_config: inForm({ ...closed, not: {} }) }, formed({ ...closed, not: {} })],
  [enabled(1024), low, three],
  [enabled(8192), { reasoning_effort: "medium" }, three],
  [enabled(32_000), high, three],
  [{ ...enabled(1024), ...effort("high") }, high, three],
  [{ ...adaptive, ...effort("max") }, high, three],
  [effort("low"), low, three],
  [adaptive, {}, three],
  [disabled, {}, three],
  [{ ...disabled, ...effort("high") }, {}, three],
  [{}, {}, three],
  [effort("low"), { reasoning_effort: "medium" }, two],
  [disabled, { reasoning_effort: "none" }, two],
  [effort("low"), {}, { thinking: "effort", effortLevels: [] }],
  [enabled(2000), { thinking: { type: "enabled" } }, { thinking: "type" }],
  [adaptive, { thinking: { type: "enabled" } }, { thinking: "type" }],
  [disabled, { thinking: { type: "disabled" } }, { thinking: "type" }],
  [{}, {}, { thinking: "type" }],
  [enabled(2000), { enable_thinking: true, thinking_budget: 2000 }, { thinking: "enable_thinking" }],
  [adaptive, { enable_thinking: true }, { thinking: "enable_thinking" }],
  [disabled, { enable_thinking: false }, { thinking: "enable_thinking" }],
  [
    disabled,
    { chat_template_kwargs: { enable_thinking: false, thinking: false } },
    { thinking: "chat_template" },
  ],
  [{ ...enabled(2000), ...effort("high") }, {}, { thinking: "none" }],
  // A vendor with a switch and levels gets both.
  [
    { ...adaptive, ...effort("high") },
    { thinking: { type: "enabled" }, ...high },
    { ...three, thinking: "type" },
  ],
])("the terms %j become %j with the capabilities %j", (fields, expected, takes) => {
  expect(bodyOf(fields, takes)).toEqual({ ...bare, ...expected });
});

test("the output limit has the upstream's name for it", () => {
  expect(bodyOf({}, { outputTokenField: "max_completion_tokens" })).toEqual({
    ...{ ...unlimited, max_completion_tokens: 100 },
  });
});

const empty = { type: "object", properties: {} };
const tool = (name: string, more: object = {}) => ({ name, input_schema: empty, ...more });
const defined = (name: string, more: object = {}) => ({
  ...{ type: "function", function: { name, parameters: empty, ...more } },
});
const [a, b] = [tool("a"), tool("b")];
const sealed = { ...empty, additionalProperties: false };
const half = { ...sealed, properties: { a: { type: "string" } }, required: [] };
const strict = (input_schema: object) => ({ tools: [tool("a", { input_schema, strict: true })] });
const search = { type: "web_search_20250305", name: "web_search", max_uses: 5 };
const fetching = { type: "web_fetch_20250910", name: "web_fetch" };
const only = (name: unknown) => ({ tool_choice: { type: "tool", name } });
const chosen = (type: unknown) => ({ tools: [a], tool_choice: { type } });
const searching = { webSearch: true };
const place = { type: "approximate", city: "Kyoto", country: null };
const parallel = (disable_parallel_tool_use: boolean) => ({
  ...{ tool_choice: { type: "auto", disable_parallel_tool_use } },
});

const fieldsOf = (fields: JsonObject, takes: PartialCapabilities = {}) =>
  toChatTools(atOnce(readConversation({ ...fields })), { ...usualCapabilities.chat, ...takes });

test.each<[JsonObject, JsonObject, PartialCapabilities?]>([
  [
    {
      tools: [
        tool("a", {
          ...{ type: "custom", description: "does", cache_control: { type: "ephemeral" } },
          ...{ defer_loading: true, input_examples: [{}] },
        }),
      ],
    },
    { tools: [defined("a", { description: "does" })] },
  ],
  [{ tools: [{ name: "a" }] }, { tools: [defined("a")] }],
  [{ tools: [{ name: "a", input_schema: null }] }, { tools: [defined("a")] }],
  [{ tools: [{ name: "a", input_schema: {} }] }, { tools: [defined("a")] }],
  [{ tools: [{ name: "a", input_schema: { type: "object" } }] }, { tools: [defined("a")] }],
  // `strict` is sent only with a schema that OpenAI's strict mode takes.
  [strict(sealed), { tools: [defined("a", { parameters: sealed, strict: true })] }],
  [strict(half), { tools: [defined("a", { parameters: half })] }],
  [strict(empty), { tools: [defined("a")] }],
  [chosen("auto"), { tools: [defined("a")], tool_choice: "auto" }],
  [chosen("any"), { tools: [defined("a")], tool_choice: "required" }],
  [chosen("none"), { tools: [defined("a")], tool_choice: "none" }],
  [
    { tools: [a], ...only("a") },
    { tools: [defined("a")], tool_choice: { type: "function", function: { name: "a" } } },
  ],
  [
    { tools: [a], ...parallel(true) },
    { tools: [defined("a")], tool_choice: "auto", parallel_tool_calls: false },
  ],
  [
    { tools: [a], ...parallel(false) },
    { tools: [defined("a")], tool_choice: "auto" },
  ],
  // CliRelay#739: without tools there is no choice.
  [{ tools: [], ...parallel(true) }, {}],
  [{ tools: [search, a] }, { tools: [defined("a")] }],
  [{ tools: [search] }, { web_search_options: {} }, searching],
  [
    { tools: [{ ...search, user_location: place }], ...only("web_search") },
    { web_search_options: { user_location: { type: "approximate", approximate: { city: "Kyoto" } } } },
    searching,
  ],
  [{ tools: [search], tool_choice: { type: "none" } }, {}, searching],
])("the tools %j become %j with the capabilities %j", (fields, expected, takes) => {
  expect(fieldsOf(fields, takes).fields).toEqual(expected);
});

test("a name over 64 characters is shortened, in the choice as well, and the client gets it back whole", () => {
  const name = `mcp__${"x".repeat(90)}`;
  const { fields, names } = fieldsOf({ tools: [tool(name)], ...only(name) });
  const upstreamName = names.toUpstream(name);
  expect(upstreamName.length).toBeLessThanOrEqual(64);
  expect(fields.tools).toMatchObject([{ function: { name: upstreamName } }]);
  expect(fields.tool_choice).toEqual({ type: "function", function: { name: upstreamName } });
  expect(names.toClient(upstreamName)).toBe(name);
});

test.each<[JsonObject, string | null]>([
  [{ tools: [a] }, "a"],
  [{ tools: [a, b] }, null],
  [{ tools: [a, b], ...only("b") }, "b"],
])("with %j, a call without a name belongs to %j", (fields, name) => {
  expect(fieldsOf(fields).names.soleName).toBe(name);
});

test.each([
  ["bash_20250124", "bash", "command"],
  ["text_editor_20250124", "str_replace_editor", "undo_edit"],
  ["text_editor_20250728", "str_replace_based_edit_tool", "insert_text"],
  ["memory_20250818", "memory", "old_path"],
])("%s becomes a function with the schema that the type implies", (type, name, word) => {
  const upstreamTools = fieldsOf({ tools: [{ type, name }] }).fields.tools;
  expect(upstreamTools).toMatchObject([
    { type: "function", function: { name, parameters: { type: "object" } } },
  ]);
  expect(JSON.stringify(upstreamTools)).toContain(word);
});

test.each<[JsonObject, string, PartialCapabilities?]>([
  [{ max_tokens: 0 }, "max_tokens"],
  [{ mcp_servers: [{ type: "url", url: "https://m" }] }, "mcp_servers"],
  [{ output_format: { type: "grammar" } }, "output_config.format"],
  [{ output_format: inForm(open).format }, "output_config.format", { jsonSchema: false }],
  [{ thinking: "enabled" }, "thinking"],
  [{ thinking: { type: 1 } }, "thinking.type"],
  [{ output_config: "high" }, "output_config"],
  [{ metadata: "me" }, "metadata"],
  [{ metadata: { user_id: 5 } }, "metadata.user_id"],
  [{ tool_choice: "auto" }, "tool_choice"],
  [chosen(unspeakable), "tool_choice.type"],
  [{ tools: [a], ...only(unspeakable) }, "tool_choice.name"],
  [{ tools: [{ type: unspeakable }] }, "tools"],
  [{ tools: [{ name: "f", type: unspeakable }] }, "tools"],
  [{ tools: [{ name: "f", input_schema: "x" }] }, "tools: input_schema"],
  [{ tools: [{ name: "f", description: 5 }] }, "tools: description"],
  [{ tools: [a, { type: "computer_20250124", name: "computer", display_width_px: 1 }] }, "tools"],
  [{ tools: [a, { type: "computer_toolset_20260801" }] }, "tools"],
  [{ tools: [a, { type: "browser_toolset_20260801" }] }, "tools"],
  [{ tools: [a, { type: "hologram_20300101", name: "hologram" }] }, "tools"],
  [{ tools: [a, { description: "nameless" }] }, "tools"],
  [{ tools: [search] }, "tools"],
  [{ tools: [{ type: "code_execution_20250825", name: "code_execution" }] }, "tools", searching],
  [{ tools: [search, a], ...only("web_search") }, "tools"],
  [{ tools: [search, a], ...only("web_search") }, "tools", searching],
  [{ tools: [search, fetching], ...only("web_fetch") }, "tools", searching],
  [{ tools: [{ ...search, allowed_domains: ["a.org"] }] }, "tools", searching],
])("%j is refused, naming %s (%j)", (fields, field, takes) => {
  expectRefusal(field, fields, takes);
});
