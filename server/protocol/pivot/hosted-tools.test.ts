/** Tools that a vendor runs, and MCP servers: carried, named as dropped, or refused, in every dialect. */

import { expect, test } from "vitest";
import { atOnce } from "@/server/base/turns";
import { terms } from "@/tests/support/terms";
import { callOf } from "@/tests/support/upstream-request";
import { type Capabilities, type Dialect, usualCapabilities } from "../capabilities";
import type { JsonObject } from "../fields";

const hi = [{ role: "user", content: "hi" }];
const base: Record<Dialect, JsonObject> = {
  chat: { messages: hi },
  messages: { messages: hi },
  responses: { input: "hi" },
  gemini: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
};
const ownTool: Record<Dialect, JsonObject> = {
  chat: { type: "function", function: { name: "f" } },
  messages: { name: "f", input_schema: { type: "object" } },
  responses: { type: "function", name: "f" },
  gemini: { functionDeclarations: [{ name: "f" }] },
};
const search = {
  chat: { web_search_options: {} },
  messages: { tools: [{ type: "web_search_20250305", name: "web_search" }] },
  responses: { tools: [{ type: "web_search" }] },
  gemini: { tools: [{ googleSearch: {} }] },
} satisfies Record<Dialect, JsonObject>;
const mcp = {
  messages: { mcp_servers: [{ type: "url", url: "https://m.example", name: "m" }] },
  responses: { tools: [{ type: "mcp", server_label: "m", server_url: "https://m.example" }] },
};

type HostedToolCase = {
  client: Dialect;
  upstream: Dialect;
  fields: JsonObject;
  hasFunctions: boolean;
  takes: Partial<Capabilities>;
};

function outcomeOf(
  { client, upstream, fields, hasFunctions, takes }: HostedToolCase,
  mayDrop: boolean,
): string | string[] {
  const tools = [...((fields.tools as JsonObject[]) ?? []), ...(hasFunctions ? [ownTool[client]] : [])];
  const call = callOf[client]({ ...base[client], ...fields, ...(tools.length > 0 && { tools }) });
  const capabilities = { ...usualCapabilities[upstream], ...takes };
  try {
    const plan = atOnce(
      call.planFor({ dialect: upstream, name: "up", capabilities }, { ...terms(100), mayDrop }),
    );
    return plan.dropped;
  } catch (error) {
    return (error as { kind: string }).kind;
  }
}

const others = { chat: "messages", messages: "chat", responses: "chat", gemini: "chat" } as const;
const labels = {
  chat: "web_search_options",
  messages: "web_search_20250305",
  responses: "web_search",
  gemini: "googleSearch",
};
const dialects = ["chat", "messages", "responses", "gemini"] as const;

test.each(dialects)(
  "a search next to functions is named as dropped if the upstream has none: from a %s client",
  (client) => {
    const rule = { client, upstream: others[client], fields: search[client], hasFunctions: true };
    expect(outcomeOf({ ...rule, takes: {} }, false)).toEqual([labels[client]]);
    expect(outcomeOf({ ...rule, takes: { webSearch: true } }, false)).toEqual([]);
  },
);

test.each(dialects)("a search alone is carried or named as dropped: from a %s client", (client) => {
  const rule = { client, upstream: others[client], fields: search[client], hasFunctions: false };
  expect(outcomeOf({ ...rule, takes: { webSearch: true } }, true)).toEqual([]);
  // Another channel is tried first, if the client's program expects a search.
  expect(outcomeOf({ ...rule, takes: {} }, false)).toEqual(
    client === "messages" ? "cannotConvert" : [labels[client]],
  );
  expect(outcomeOf({ ...rule, takes: {} }, true)).toEqual([labels[client]]);
});

test.each([
  ["messages", true, "mcp_servers"],
  ["messages", false, "mcp_servers"],
  ["responses", true, "mcp"],
  ["responses", false, "mcp"],
] as const)(
  "MCP servers of a %s client (with functions: %s) are dropped only if all channels refuse, and named as %s",
  (...[client, hasFunctions, label]) => {
    const rule = { client, hasFunctions, fields: mcp[client], takes: {} };
    expect(outcomeOf({ ...rule, upstream: "chat" }, false)).toBe("cannotConvert");
    expect(outcomeOf({ ...rule, upstream: "chat" }, true)).toEqual([label]);
    // Their vendor asks them itself.
    expect(outcomeOf({ ...rule, upstream: client }, false)).toEqual([]);
  },
);

test.each([
  ["messages", { tool_choice: { type: "tool", name: "web_search" } }],
  ["responses", { tool_choice: { type: "web_search" } }],
] as const)("a search that a %s client forces is refused if no upstream has one", (client, forced) => {
  const fields = { ...search[client], ...forced };
  for (const hasFunctions of [true, false]) {
    const rule = { client, upstream: "gemini", fields, hasFunctions, takes: {} } as const;
    expect([outcomeOf(rule, false), outcomeOf(rule, true)]).toEqual(["cannotConvert", "cannotConvert"]);
  }
});

test.each([
  [
    "responses",
    { tools: [{ type: "web_search" }, { type: "file_search" }, ownTool.responses] },
    ["web_search", "file_search"],
  ],
  ["gemini", { tools: [{ googleSearch: {} }, ownTool.gemini] }, ["googleSearch"]],
] as const)(
  "a call that stays in its dialect (%s) names the dropped tools that the channel's prices do not cover",
  (client, fields, names) => {
    const rule = { client, upstream: client, fields: fields as unknown as JsonObject, hasFunctions: false };
    expect(outcomeOf({ ...rule, takes: {} }, false)).toEqual(names);
    expect(outcomeOf({ ...rule, takes: { premiumTiers: true } }, false)).toEqual([]);
  },
);
