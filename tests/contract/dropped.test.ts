/**
 * Vendor tools that the upstream does not have: a header of the answer names them, whole or streamed, in every dialect.
 */
import { expect, test } from "vitest";
import { answerMessageWith } from "@/tests/support/messages-answer";
import { messages, perFile, served } from "@/tests/support/per-file";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const { gateway, upstream, model } = served(answerWith("Hello"));
const customer = perFile(() => gateway.customer());
const anthropic = perFile(() => startUpstream(answerMessageWith("Hello")));

const search = { type: "web_search_20250305", name: "web_search" };
const servers = [{ type: "url", url: "https://m.example", name: "m" }];
const inMessages = { messages, max_tokens: 9 };

test.each([
  ["chat/completions", { messages, web_search_options: {} }, null],
  [
    "responses",
    { input: "hi", tools: [{ type: "web_search" }, { type: "mcp", server_label: "m" }] },
    "web_search, mcp",
  ],
  ["messages", { ...inMessages, tools: [search], mcp_servers: servers }, "web_search_20250305, mcp_servers"],
  ["messages", { ...inMessages, mcp_servers: servers, stream: true }, "mcp_servers"],
] as const)("%s with %j is answered with x-dropped: %s", async (...[path, fields, dropped]) => {
  const response = await gateway.post(customer.secret, path, { model, ...fields });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-dropped")).toBe(dropped);
  await response.text();
  expect(upstream.requests.at(-1)?.raw).not.toMatch(/mcp|web_search_2025/);
});

test("a channel that can carry an MCP server is tried before one that cannot", async () => {
  const both = await gateway.model();
  await gateway.channel({ model: both, baseUrl: upstream.baseUrl, priority: 9 });
  const baseUrl = anthropic.baseUrl.replace(/\/v1$/, "");
  await gateway.channel({ model: both, dialect: "anthropic", baseUrl, priority: 1 });
  const body = { model: both, ...inMessages, mcp_servers: servers };
  const response = await gateway.post(customer.secret, "messages", body);
  expect([response.status, response.headers.get("x-dropped")]).toEqual([200, null]);
  expect(anthropic.requests.at(-1)?.body.mcp_servers).toEqual(servers);
});
