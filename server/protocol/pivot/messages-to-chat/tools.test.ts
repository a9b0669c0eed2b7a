import { describe, expect, test } from "vitest";
import { type Capabilities, usualCapabilities } from "../../capabilities";
import { toChatTools } from "../../chat/tools-out";
import { readConversation } from "../../messages/request-in";

const convert = (fields: object, capabilities: Partial<Capabilities> = {}) =>
  toChatTools(readConversation({ ...fields }), { ...usualCapabilities.chat, ...capabilities });

const tool = (name: string, more: object = {}) => ({
  name,
  input_schema: { type: "object", properties: {} },
  ...more,
});
const search = { type: "web_search_20250305", name: "web_search", max_uses: 5 };
const empty = { type: "object", properties: {} };

describe("tools of the client", () => {
  test("only name, description and schema go", () => {
    const given = tool("a", {
      type: "custom",
      description: "does",
      cache_control: { type: "ephemeral" },
      defer_loading: true,
      input_examples: [{}],
    });
    expect(convert({ tools: [given] }).fields).toEqual({
      tools: [{ type: "function", function: { name: "a", description: "does", parameters: empty } }],
    });
  });

  test.each([undefined, null, {}, { type: "object" }])("the schema %j takes no arguments", (input_schema) => {
    expect(convert({ tools: [{ name: "a", input_schema }] }).fields.tools).toEqual([
      { type: "function", function: { name: "a", parameters: empty } },
    ]);
  });

  test("strict goes only with a schema that OpenAI's strict mode takes", () => {
    const closed = { ...empty, additionalProperties: false };
    const half = { ...closed, properties: { a: { type: "string" } }, required: [] };
    const strictOf = (input_schema: object) =>
      JSON.stringify(convert({ tools: [tool("a", { input_schema, strict: true })] }).fields).includes(
        "strict",
      );
    expect([closed, half, empty].map(strictOf)).toEqual([true, false, false]);
  });

  test("a name over 64 characters goes shortened, in the choice as well, and comes back whole", () => {
    const name = `mcp__${"x".repeat(90)}`;
    const { fields, names } = convert({ tools: [tool(name)], tool_choice: { type: "tool", name } });
    const sent = names.toUpstream(name);
    expect(sent.length).toBeLessThanOrEqual(64);
    expect(fields.tools).toMatchObject([{ function: { name: sent } }]);
    expect(fields.tool_choice).toEqual({ type: "function", function: { name: sent } });
    expect(names.toClient(sent)).toBe(name);
  });

  test.each([
    ["bash_20250124", "bash", "command"],
    ["text_editor_20250124", "str_replace_editor", "undo_edit"],
    ["text_editor_20250728", "str_replace_based_edit_tool", "insert_text"],
    ["memory_20250818", "memory", "old_path"],
  ])("%s gets the schema that it stands for", (type, name, word) => {
    const sent = convert({ tools: [{ type, name }] }).fields.tools;
    expect(sent).toMatchObject([{ type: "function", function: { name, parameters: { type: "object" } } }]);
    expect(JSON.stringify(sent)).toContain(word);
  });

  test.each([
    { type: "computer_20250124", name: "computer", display_width_px: 1 },
    { type: "computer_toolset_20260801" },
    { type: "browser_toolset_20260801" },
    { type: "hologram_20300101", name: "hologram" },
    { description: "nameless" },
  ])("%j is refused", (given) => {
    expect(() => convert({ tools: [tool("a"), given] })).toThrow("tools");
  });
});

describe("the choice", () => {
  test.each([
    [{ type: "auto" }, "auto"],
    [{ type: "any" }, "required"],
    [{ type: "none" }, "none"],
    [
      { type: "tool", name: "a" },
      { type: "function", function: { name: "a" } },
    ],
    [undefined, undefined],
  ])("%j is %j", (tool_choice, sent) => {
    expect(convert({ tools: [tool("a")], tool_choice }).fields.tool_choice).toEqual(sent);
  });

  test("calls one at a time only when asked for", () => {
    const sent = (disable_parallel_tool_use?: boolean) =>
      convert({ tools: [tool("a")], tool_choice: { type: "auto", disable_parallel_tool_use } }).fields;
    expect(sent(true).parallel_tool_calls).toBe(false);
    expect(sent(false)).not.toHaveProperty("parallel_tool_calls");
  });

  test("CliRelay#739: without tools there is no choice", () => {
    expect(
      convert({ tools: [], tool_choice: { type: "auto", disable_parallel_tool_use: true } }).fields,
    ).toEqual({});
  });

  test("the one tool, or the demanded one, is what a call without a name means", () => {
    expect(convert({ tools: [tool("a")] }).names.soleName).toBe("a");
    expect(convert({ tools: [tool("a"), tool("b")] }).names.soleName).toBeNull();
    const forced = { tools: [tool("a"), tool("b")], tool_choice: { type: "tool", name: "b" } };
    expect(convert(forced).names.soleName).toBe("b");
  });
});

describe("tools of the vendor", () => {
  test("a search becomes the upstream's own", () => {
    const user_location = { type: "approximate", city: "Kyoto", country: null };
    const given = {
      tools: [{ ...search, user_location }],
      tool_choice: { type: "tool", name: "web_search" },
    };
    expect(convert(given, { webSearch: true }).fields).toEqual({
      web_search_options: { user_location: { type: "approximate", approximate: { city: "Kyoto" } } },
    });
    expect(convert({ tools: [search] }, { webSearch: true }).fields).toEqual({ web_search_options: {} });
  });

  test("beside other tools they go without a word", () => {
    expect(convert({ tools: [search, tool("a")] }).fields).toEqual({
      tools: [{ type: "function", function: { name: "a", parameters: empty } }],
    });
  });

  test.each([
    [{ tools: [search] }, {}],
    [{ tools: [{ type: "code_execution_20250825", name: "code_execution" }] }, { webSearch: true }],
    [{ tools: [search, tool("a")], tool_choice: { type: "tool", name: "web_search" } }, {}],
    [{ tools: [search, tool("a")], tool_choice: { type: "tool", name: "web_search" } }, { webSearch: true }],
    [
      {
        tools: [search, { type: "web_fetch_20250910", name: "web_fetch" }],
        tool_choice: { type: "tool", name: "web_fetch" },
      },
      { webSearch: true },
    ],
    [{ tools: [{ ...search, allowed_domains: ["a.org"] }] }, { webSearch: true }],
  ])("%j with %j is refused", (given, capabilities) => {
    expect(() => convert(given, capabilities)).toThrow("tools");
  });

  test("a search that may not happen does not", () => {
    const given = { tools: [search], tool_choice: { type: "none" } };
    expect(convert(given, { webSearch: true }).fields).toEqual({});
  });
});
