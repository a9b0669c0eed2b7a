import type { TestGateway } from "@/tests/support/gateway";
import { answerJson } from "@/tests/support/upstream";
import { invalid, type RefusalRow, refused, row } from "./row";

const invalidMessages = refused(400, "invalid_messages", "messages 必须是非空数组");

const english = { "accept-language": "zh;q=0.2, en;q=0.9" };

const messages: RefusalRow[] = [
  row("messages missing", invalidMessages, { body: { messages: undefined } }),
  row("messages empty", invalidMessages, { body: { messages: [] } }),
  row("messages not an array", invalidMessages, { body: { messages: "hi" } }),
  invalid("a message that is no object", { messages: ["hi"] }, /messages/),
  invalid("temperature above 2", { temperature: 2.1 }, /temperature/),
  invalid("temperature below 0", { temperature: -0.1 }, /temperature/),
  invalid("max_tokens not a number", { max_tokens: "5" }, /max_tokens/),
  invalid("max_tokens below 0", { max_tokens: -1 }, /max_tokens/),
  invalid("stream not a boolean", { stream: "yes" }, /stream/),
  row("temperature 3, in English", refused(400, "invalid_parameters", /^temperature must be a number/), {
    body: { temperature: 3 },
    headers: english,
  }),
  // Messages of the spec stay as the spec has them.
  row("no messages, to an English reader", invalidMessages, { body: { messages: [] }, headers: english }),
];

const tooDear = row(
  "a max_tokens that no account could pay",
  refused(402, "insufficient_quota", "当月额度不足,请先充值"),
  { model: (gateway: TestGateway) => gateway.model({ maxOutputTokens: 100_000_000 }) },
);

export const chatRows: RefusalRow[] = [
  ...messages,
  invalid("max_tokens 0", { max_tokens: 0 }, /max_tokens/),
  { ...tooDear, body: { max_tokens: 100_000_000, n: 128 } },
  row("an upstream that sends no choices", refused(502, "upstream_malformed", "上游响应格式异常"), {
    upstream: answerJson({ id: "x", choices: [] }),
  }),
  { name: "an unknown path", status: 404, message: /\/v1\/nope/, slug: "unknown_path", path: "/v1/nope" },
  { name: "the bare /v1", status: 404, message: /\/v1/, slug: "unknown_path", path: "/v1" },
];

const missingVersion = refused(400, "missing_version", "缺少 anthropic-version 请求头");

export const messagesRows: RefusalRow[] = [
  ...messages,
  row("no version", missingVersion, { headers: { "anthropic-version": "" } }),
  row("no version and nothing else that is right", missingVersion, {
    headers: { "anthropic-version": "" },
    body: { model: undefined, messages: [] },
  }),
  row("no version and no key: admission comes first", refused(401, "missing_api_key", "缺少 API Key"), {
    headers: { "anthropic-version": "" },
    key: () => ({}),
  }),
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
