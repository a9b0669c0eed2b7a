import type { TestGateway } from "@/tests/support/gateway";
import { sendJson } from "@/tests/support/upstream";
import { invalid, type Row } from "./row";

const invalidMessages = { status: 400, message: "messages 必须是非空数组", slug: "invalid_messages" };

const messages: Row[] = [
  { ...invalidMessages, name: "messages missing", body: { messages: undefined } },
  { ...invalidMessages, name: "messages empty", body: { messages: [] } },
  { ...invalidMessages, name: "messages not an array", body: { messages: "hi" } },
  invalid("a message that is no object", { messages: ["hi"] }, /messages/),
  invalid("temperature above 2", { temperature: 2.1 }, /temperature/),
  invalid("temperature below 0", { temperature: -0.1 }, /temperature/),
  invalid("max_tokens not a number", { max_tokens: "5" }, /max_tokens/),
  invalid("max_tokens below 0", { max_tokens: -1 }, /max_tokens/),
  invalid("stream not a boolean", { stream: "yes" }, /stream/),
];

const tooDear = {
  name: "a max_tokens that no account could pay",
  status: 402,
  message: "当月额度不足,请先充值",
  slug: "insufficient_quota",
  model: (gateway: TestGateway) => gateway.model({ maxOutputTokens: 100_000_000 }),
};

export const chatRows: Row[] = [
  ...messages,
  invalid("max_tokens 0", { max_tokens: 0 }, /max_tokens/),
  { ...tooDear, body: { max_tokens: 100_000_000, n: 128 } },
  {
    name: "an upstream that sends no choices",
    status: 502,
    message: "上游响应格式异常",
    slug: "upstream_malformed",
    upstream: (_asked, response) => sendJson(response, 200, { id: "x", choices: [] }),
  },
  { name: "an unknown path", status: 404, message: /\/v1\/nope/, slug: "unknown_path", path: "/v1/nope" },
  { name: "the bare /v1", status: 404, message: /\/v1/, slug: "unknown_path", path: "/v1" },
];

const missingVersion = {
  status: 400,
  message: "缺少 anthropic-version 请求头",
  slug: "missing_version",
};

export const messagesRows: Row[] = [
  ...messages,
  { ...missingVersion, name: "no version", headers: { "anthropic-version": "" } },
  {
    ...missingVersion,
    name: "no version and nothing else that is right",
    headers: { "anthropic-version": "" },
    body: { model: undefined, messages: [] },
  },
  {
    name: "no version and no key: admission comes first",
    status: 401,
    message: "缺少 API Key",
    slug: "missing_api_key",
    headers: { "anthropic-version": "" },
    key: () => ({}),
  },
  invalid("a role that is none", { messages: [{ role: "tool", content: "x" }] }, /role/),
  invalid("content that is neither text nor blocks", { messages: [{ role: "user", content: 7 }] }, /content/),
  invalid("a system prompt that is neither text nor blocks", { system: 7 }, /system/),
  invalid("stop_sequences not an array", { stop_sequences: "x" }, /stop_sequences/),
  invalid("top_p above 1", { top_p: 1.1 }, /top_p/),
  {
    ...tooDear,
    body: { max_tokens: 100_000_000 },
    customer: (gateway) => gateway.customer({ quota: "10" }),
  },
];

export const embeddingsRows: Row[] = [
  invalid("input missing", { input: undefined }, /input/),
  {
    name: "an upstream that leaves a vector out",
    status: 502,
    message: "上游响应格式异常",
    slug: "upstream_malformed",
    body: { input: ["a", "b"] },
    upstream: (_asked, response) =>
      sendJson(response, 200, { data: [{ index: 0, embedding: [1, 2] }], usage: { prompt_tokens: 2 } }),
  },
];
