import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setAccountStatus, setKeyStatus } from "@/server/access";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import {
  type Answer,
  answerWith,
  type FakeUpstream,
  refuseWith,
  sendJson,
  startUpstream,
} from "@/tests/support/upstream";

let gateway: TestGateway;
let upstream: FakeUpstream;
let model: string;

beforeAll(async () => {
  gateway = await startGateway();
  upstream = await startUpstream(answerWith("fine"));
  model = await gateway.model();
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

type Customer = Awaited<ReturnType<TestGateway["customer"]>>;
type Row = {
  name: string;
  status: number;
  message: string | RegExp;
  slug: string;
  /** Another customer than one with plenty of money. */
  customer?: () => Promise<Customer>;
  key?: (customer: Customer) => Record<string, string>;
  body?: unknown;
  path?: string;
  method?: string;
  headers?: Record<string, string>;
  upstream?: Answer;
};

const messages = [{ role: "user", content: "hi" }];
const good = () => ({ model, messages });
/** A model and a channel of its own, so that a broken upstream trips no other test's breaker. */
async function own(answer: Answer, more: object = {}) {
  const fake = await startUpstream(answer);
  const id = await gateway.model();
  await gateway.channel({ model: id, baseUrl: fake.baseUrl });
  return { fake, body: { model: id, messages, ...more } };
}

const html: Answer = (_asked, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end("<html>busy</html>");
};

const rows: Row[] = [
  {
    name: "a part nested too deep",
    status: 400,
    message: /嵌套过深/,
    slug: "invalid_parameters",
    body: `{"model":"x","messages":[{"role":"user","content":${"[".repeat(5_000)}${"]".repeat(5_000)}}]}`,
  },
  {
    name: "too many fields",
    status: 400,
    message: /字段过多/,
    slug: "invalid_parameters",
    body: JSON.stringify(Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, 1]))),
  },
  { name: "OPTIONS", status: 405, message: /OPTIONS/, slug: "method_not_allowed", method: "OPTIONS" },
  {
    name: "model missing",
    status: 400,
    message: "缺少 model 参数",
    slug: "missing_model",
    body: { messages },
  },
  {
    name: "model empty",
    status: 400,
    message: "缺少 model 参数",
    slug: "missing_model",
    body: { model: "", messages },
  },
  {
    name: "model not a string",
    status: 400,
    message: /model/,
    slug: "invalid_parameters",
    body: { model: 7, messages },
  },
  {
    name: "messages missing",
    status: 400,
    message: "messages 必须是非空数组",
    slug: "invalid_messages",
    body: { model: "x" },
  },
  {
    name: "messages empty",
    status: 400,
    message: "messages 必须是非空数组",
    slug: "invalid_messages",
    body: { model: "x", messages: [] },
  },
  {
    name: "messages not an array",
    status: 400,
    message: "messages 必须是非空数组",
    slug: "invalid_messages",
    body: { model: "x", messages: "hi" },
  },
  {
    name: "a message that is no object",
    status: 400,
    message: /messages/,
    slug: "invalid_parameters",
    body: { model: "x", messages: ["hi"] },
  },
  {
    name: "temperature above 2",
    status: 400,
    message: /temperature/,
    slug: "invalid_parameters",
    body: { model: "x", messages, temperature: 2.1 },
  },
  {
    name: "temperature below 0",
    status: 400,
    message: /temperature/,
    slug: "invalid_parameters",
    body: { model: "x", messages, temperature: -0.1 },
  },
  {
    name: "max_tokens 0",
    status: 400,
    message: /max_tokens/,
    slug: "invalid_parameters",
    body: { model: "x", messages, max_tokens: 0 },
  },
  {
    name: "stream not a boolean",
    status: 400,
    message: /stream/,
    slug: "invalid_parameters",
    body: { model: "x", messages, stream: "yes" },
  },
  { name: "malformed JSON", status: 400, message: /JSON/, slug: "invalid_json", body: '{"model":' },
  { name: "JSON that is no object", status: 400, message: /JSON/, slug: "invalid_json", body: "[]" },
  { name: "an empty body", status: 400, message: /JSON/, slug: "invalid_json", body: "" },
  {
    name: "a wrong content type",
    status: 400,
    message: /Content-Type/,
    slug: "invalid_content_type",
    headers: { "content-type": "text/plain" },
  },
  {
    name: "a body over the limit",
    status: 400,
    message: /32 MB/,
    slug: "body_too_large",
    body: `{"model":"${"x".repeat(32 * 1024 * 1024)}"}`,
  },
  { name: "no key", status: 401, message: "缺少 API Key", slug: "missing_api_key", key: () => ({}) },
  {
    name: "a key of another shape",
    status: 401,
    message: "API Key 无效",
    slug: "invalid_api_key",
    key: () => ({ authorization: "Bearer nope" }),
  },
  {
    name: "an unknown key",
    status: 401,
    message: "API Key 无效",
    slug: "invalid_api_key",
    key: () => ({ "x-api-key": `sk-${"A".repeat(43)}` }),
  },
  {
    name: "an expired key",
    status: 401,
    message: "API Key 已过期",
    slug: "expired_api_key",
    customer: () => gateway.customer({ expiresAt: new Date(Date.now() - 1_000) }),
  },
  {
    name: "not enough money",
    status: 402,
    message: "当月额度不足,请先充值",
    slug: "insufficient_quota",
    customer: () => gateway.customer({ quota: "0.000001" }),
  },
  {
    name: "a max_tokens that no account could pay",
    status: 402,
    message: "当月额度不足,请先充值",
    slug: "insufficient_quota",
    body: () => ({ ...good(), max_tokens: 100_000_000, n: 128 }),
  },
  {
    name: "a disabled key",
    status: 403,
    message: "API Key 已被禁用",
    slug: "key_disabled",
    customer: async () => {
      const customer = await gateway.customer();
      await setKeyStatus(gateway.runtime.db.orm, { keyId: customer.keyId, status: "disabled" });
      return customer;
    },
  },
  {
    name: "a disabled account",
    status: 403,
    message: "账号已被禁用",
    slug: "account_disabled",
    customer: async () => {
      const customer = await gateway.customer();
      await setAccountStatus(gateway.runtime.db.orm, { accountId: customer.accountId, status: "disabled" });
      return customer;
    },
  },
  {
    name: "an address outside the allow-list",
    status: 403,
    message: "IP 不在白名单中",
    slug: "ip_not_allowed",
    customer: () => gateway.customer({ allowedIps: ["10.0.0.0/8"] }),
  },
  {
    name: "a spoofed x-forwarded-for",
    status: 403,
    message: "IP 不在白名单中",
    slug: "ip_not_allowed",
    customer: () => gateway.customer({ allowedIps: ["10.0.0.0/8"] }),
    headers: { "x-forwarded-for": "10.1.2.3" },
  },
  {
    name: "an unknown model",
    status: 404,
    message: "模型 no-such-model 不存在或未启用",
    slug: "model_not_found",
    body: { model: "no-such-model", messages },
  },
  {
    name: "a disabled model",
    status: 404,
    message: /^模型 .* 不存在或未启用$/,
    slug: "model_not_found",
    body: async () => ({ model: await gateway.model({ enabled: false }), messages }),
  },
  {
    name: "a model of another kind",
    status: 404,
    message: /^模型 .* 不存在或未启用$/,
    slug: "model_not_found",
    body: async () => ({ model: await gateway.model({ kind: "embedding" }), messages }),
  },
  { name: "an unknown path", status: 404, message: /\/v1\/nope/, slug: "unknown_path", path: "/v1/nope" },
  { name: "a wrong method", status: 405, message: /DELETE/, slug: "method_not_allowed", method: "DELETE" },
  { name: "the bare /v1", status: 404, message: /\/v1/, slug: "unknown_path", path: "/v1" },
  {
    name: "a model without a channel",
    status: 502,
    message: "上游渠道全部不可用",
    slug: "upstreams_unavailable",
    body: async () => ({ model: await gateway.model(), messages }),
  },
  ...[401, 402, 403, 404, 429, 500, 503, 529].map((status) => ({
    name: `an upstream that says ${status}`,
    status: 502,
    message: "上游渠道全部不可用",
    slug: "upstreams_unavailable",
    upstream: refuseWith(status),
  })),
  {
    name: "an upstream that says 400",
    status: 400,
    message: "prompt is too long",
    slug: "upstream_rejected",
    upstream: refuseWith(400, "prompt is too long"),
  },
  {
    name: "an upstream that says 422",
    status: 400,
    message: "bad field",
    slug: "upstream_rejected",
    upstream: refuseWith(422, "bad field"),
  },
  {
    name: "an upstream that sends HTML",
    status: 502,
    message: "上游响应格式异常",
    slug: "upstream_malformed",
    upstream: html,
  },
  {
    name: "an upstream that streams HTML",
    status: 502,
    message: "上游响应格式异常",
    slug: "upstream_malformed",
    upstream: html,
    body: { stream: true },
  },
  {
    name: "an upstream that sends half a JSON text",
    status: 502,
    message: "上游响应格式异常",
    slug: "upstream_malformed",
    upstream: (_asked, response) =>
      void response.writeHead(200, { "content-type": "application/json" }).end('{"id":"x","choi'),
  },
  {
    name: "an upstream that sends no choices",
    status: 502,
    message: "上游响应格式异常",
    slug: "upstream_malformed",
    upstream: (_asked, response) => sendJson(response, 200, { id: "x", choices: [] }),
  },
  {
    name: "an upstream that announces more than it sends",
    status: 502,
    message: "上游渠道全部不可用",
    slug: "upstreams_unavailable",
    upstream: (_asked, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
      response.write('{"id":"x"');
      setImmediate(() => response.destroy());
    },
  },
  {
    name: "an upstream that hangs up",
    status: 502,
    message: "上游渠道全部不可用",
    slug: "upstreams_unavailable",
    upstream: (_asked, response) => void response.destroy(),
  },
  {
    name: "a stream that ends before its first event",
    status: 502,
    message: "上游响应格式异常",
    slug: "upstream_malformed",
    upstream: (_asked, response) =>
      void response.writeHead(200, { "content-type": "text/event-stream" }).end(": hi\n\n"),
    body: { stream: true },
  },
];

describe("every refusal is the envelope, costs nothing and freezes nothing", () => {
  test.each(rows)("$status $slug: $name", async (row) => {
    const customer = await (row.customer?.() ?? gateway.customer());
    const fake = row.upstream ? await own(row.upstream, row.body as object) : null;
    const asked = typeof row.body === "function" ? await row.body() : (row.body ?? good());
    const given = fake?.body ?? asked;
    const method = row.method ?? (row.path ? "GET" : "POST");
    const response = await fetch(`${gateway.url}${row.path ?? "/v1/chat/completions"}`, {
      method,
      headers: {
        "content-type": "application/json",
        ...(row.key ? row.key(customer) : { authorization: `Bearer ${customer.secret}` }),
        ...row.headers,
      },
      ...(method !== "GET" && { body: typeof given === "string" ? given : JSON.stringify(given) }),
    });
    const body = (await response.json()) as Record<string, unknown>;
    expect(response.status).toBe(row.status);
    expect(Object.keys(body).sort()).toEqual(["code", "data", "message"]);
    expect(body).toMatchObject({ code: row.status, data: null });
    expect(body.message).toEqual(
      row.message instanceof RegExp ? expect.stringMatching(row.message) : row.message,
    );
    expect(response.headers.get("x-error-code")).toBe(row.slug);
    expect(response.headers.get("x-request-id")).toBe(response.headers.get("request-id"));
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    await expect.poll(() => gateway.balance(customer.accountId)).toMatchObject({ used: 0n, frozen: 0n });
    await fake?.fake.close();
  });
});
