import { expect, test } from "vitest";
import { callOf, upstreamRequestOf } from "@/tests/support/upstream-request";
import type { JsonObject } from "../fields";

/** The request for an upstream of a dialect that can search. */
const requestFor = (dialect: "chat" | "messages" | "gemini", body: JsonObject) =>
  upstreamRequestOf(callOf.responses({ input: "hi", ...body }), dialect, { webSearch: true });

const f = { type: "function", name: "f", parameters: null };
const search = { type: "web_search_preview" };

const allow = (...tools: JsonObject[]) => ({ type: "allowed_tools", mode: "auto", tools });

test.each<[JsonObject[], unknown, unknown, unknown]>([
  [[f, search], undefined, undefined, {}],
  // A choice of no tool excludes the vendor's tools, too.
  [[search], "none", undefined, undefined],
  [[f, search], "none", "none", undefined],
  // A search outside of the allowed tools is not offered.
  [[f, search], allow(f), "auto", undefined],
  [[f, search], allow(f, { type: "web_search" }), "auto", {}],
  // Any of its names forces it.
  [[search], { type: "web_search" }, undefined, {}],
])(
  "with the tools %j the choice %j becomes %j, and the search becomes %j",
  (tools, tool_choice, ...expected) => {
    const body = requestFor("chat", { tools, tool_choice });
    expect([body.tool_choice, body.web_search_options]).toEqual(expected);
  },
);

test("a search that is limited to some addresses keeps the limit, or is refused", () => {
  const tools = [{ ...search, filters: { allowed_domains: ["example.com"], blocked_domains: [] } }];
  expect(requestFor("messages", { tools }).tools).toMatchObject([{ allowed_domains: ["example.com"] }]);
  expect(() => requestFor("chat", { tools })).toThrow("filters.allowed_domains");
  expect(() => requestFor("gemini", { tools })).toThrow("filters.allowed_domains");
});

test.each([
  [{ type: "function", name: "g" }, "tool_choice.name"],
  [{ type: "function" }, "tool_choice.name"],
  [{ type: "custom", name: "g" }, "tool_choice.name"],
  [{ type: "file_search" }, "tool_choice.type"],
])("a choice of a missing tool is refused: %j", (choice, field) => {
  expect(() => requestFor("chat", { tools: [f], tool_choice: choice })).toThrow(field);
});

test("tools without a type, and namespaces without a name, are refused by their place", () => {
  expect(() => requestFor("chat", { tools: [{ name: "f", parameters: {} }] })).toThrow("tools[0].type");
  expect(() => requestFor("chat", { tools: [f, { type: "namespace", tools: [f] }] })).toThrow("tools[1]");
});

test("calls of two namespaces that only the history names stay distinct", () => {
  const call = (namespace: string) => ({
    ...{ type: "function_call", call_id: `call_${namespace}`, name: "run", arguments: "{}", namespace },
  });
  const { messages } = requestFor("chat", {
    input: [{ role: "user", content: "hi" }, call("one"), call("two")],
  });
  const [, assistant] = messages as JsonObject[];
  const calls = assistant?.tool_calls as { function: { name: string } }[];
  expect(calls.map((each) => each.function.name)).toEqual(["one__run", "two__run"]);
});

test.each([
  ["low", "low"],
  ["high", "high"],
  ["original", "high"],
  ["auto", undefined],
  [null, undefined],
])("the detail of a picture is kept: %s", (detail, expected) => {
  const image_url = "https://example.com/a.png";
  const input = [{ role: "user", content: [{ type: "input_image", image_url, detail }] }];
  const [message] = requestFor("chat", { input }).messages as JsonObject[];
  expect(message?.content).toEqual([
    { type: "image_url", image_url: { url: image_url, ...(expected && { detail: expected }) } },
  ]);
});

const space = (name: string, description: string | null, ...names: string[]) => ({
  ...{ type: "namespace", name, description },
  tools: names.map((each) => ({ ...f, name: each, description: `does ${each}` })),
});

/** The functions in an upstream's request, by name. */
function described(body: JsonObject): Record<string, string | undefined> {
  const tools = requestFor("chat", body).tools as { function: { name: string; description?: string } }[];
  return Object.fromEntries(tools.map((tool) => [tool.function.name, tool.function.description]));
}

test("the description of a namespace is sent once, with the first of its functions", () => {
  const tools = [space("mail", "Letters.", "read", "send"), space("bare", null, "run"), f];
  expect(described({ tools })).toEqual({
    mail__read: 'All of "mail": Letters.\n\ndoes read',
    mail__send: "does send",
    bare__run: "does run",
    f: undefined,
  });
});

test("the description of a namespace is sent with a function that may be called", () => {
  const allowed = { type: "function", name: "send", namespace: "mail" };
  const tool_choice = { type: "allowed_tools", mode: "auto", tools: [allowed] };
  const tools = [space("mail", "Letters.", "read", "send")];
  expect(described({ tools, tool_choice })).toEqual({ mail__send: 'All of "mail": Letters.\n\ndoes send' });
});

test("a namespace that is declared again without a description keeps its description", () => {
  const redeclaration = { type: "additional_tools", tools: [space("mail", null, "send")] };
  const input = [{ role: "user", content: "hi" }, redeclaration];
  expect(described({ input, tools: [space("mail", "Letters.", "read")] })).toEqual({
    mail__read: 'All of "mail": Letters.\n\ndoes read',
    mail__send: "does send",
  });
});

test("a long description of a namespace is not repeated for each of its functions", () => {
  const names = Array.from({ length: 200 }, (_, index) => `f${index}`);
  const texts = Object.values(described({ tools: [space("mail", "x".repeat(10_000), ...names)] }));
  expect(texts.join("").length).toBeLessThan(20_000);
});

test("a namespace's description that is no text is refused by its place", () => {
  const tools = [{ ...space("mail", null, "read"), description: 7 }];
  expect(() => requestFor("chat", { tools })).toThrow("tools[0].description");
});
