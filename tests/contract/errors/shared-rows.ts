import { setAccountStatus, setKeyStatus } from "@/server/access";
import { answerBytes, answerEvents, hangUp, refuseWith } from "@/tests/support/upstream";
import { type Endpoint, invalid, type RefusalRow, refused, row } from "./row";

const html = answerBytes(200, { "content-type": "text/html" }, "<html>busy</html>");
const json = { "content-type": "application/json" };

const missingModel = refused(400, "missing_model", "缺少 model 参数");

const bodies: RefusalRow[] = [
  row("a part nested too deep", refused(400, "invalid_parameters", /嵌套过深/), {
    body: `{"model":"x","input":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
  }),
  row("too many fields", refused(400, "invalid_parameters", /字段过多/), {
    body: JSON.stringify(Object.fromEntries(Array.from({ length: 2_000 }, (_, index) => [`k${index}`, 1]))),
  }),
  ...Object.entries({
    "a member twice": '{"model":"cheap","model":"huge"}',
    "a member in another case": '{"model":"cheap","Model":"huge"}',
    "a member with an escape in its name": '{"model":"cheap","\\u006d\\u006fdel":"huge"}',
  }).map(([name, body]) => ({
    ...refused(400, "invalid_parameters", "model 只能出现一次,且必须小写"),
    ...{ name, body },
  })),
  row("model missing", missingModel, { body: { model: undefined } }),
  row("model null", missingModel, { body: { model: null } }),
  row("model empty", missingModel, { body: { model: "" } }),
  invalid("model not a string", { model: 7 }, /model/),
  row("malformed JSON", refused(400, "invalid_json", /JSON/), { body: '{"model":' }),
  row("JSON that is no object", refused(400, "invalid_json", /JSON/), { body: "[]" }),
  row("an empty body", refused(400, "invalid_json", /JSON/), { body: "" }),
  row("a wrong content type", refused(400, "invalid_content_type", /Content-Type/), {
    headers: { "content-type": "text/plain" },
  }),
  row("a body over the limit", refused(400, "body_too_large", /32 MB/), {
    body: `{"model":"${"x".repeat(32 * 1024 * 1024)}"}`,
  }),
];

const disabledKey: RefusalRow["customer"] = async (gateway) => {
  const customer = await gateway.customer();
  await setKeyStatus(gateway.runtime.db, { keyId: customer.keyId, status: "disabled" });
  return customer;
};

const disabledAccount: RefusalRow["customer"] = async (gateway) => {
  const customer = await gateway.customer();
  await setAccountStatus(gateway.runtime.db, { accountId: customer.accountId, status: "disabled" });
  return customer;
};

const admission: RefusalRow[] = [
  row("no key", refused(401, "missing_api_key", "缺少 API Key"), { key: () => ({}) }),
  row("a key of another shape", refused(401, "invalid_api_key", "API Key 无效"), {
    key: () => ({ authorization: "Bearer nope" }),
  }),
  row("an unknown key", refused(401, "invalid_api_key", "API Key 无效"), {
    key: () => ({ "x-api-key": `sk-${"A".repeat(43)}` }),
  }),
  row("an expired key", refused(401, "expired_api_key", "API Key 已过期"), {
    customer: (gateway) => gateway.customer({ expiresAt: new Date(Date.now() - 1_000) }),
  }),
  row("not enough money", refused(402, "insufficient_quota", "当月额度不足,请先充值"), {
    customer: (gateway) => gateway.customer({ quota: "0.000001" }),
  }),
  row("a disabled key", refused(403, "key_disabled", "API Key 已被禁用"), { customer: disabledKey }),
  row("a disabled account", refused(403, "account_disabled", "账号已被禁用"), { customer: disabledAccount }),
  row("an address outside the allow-list", refused(403, "ip_not_allowed", "IP 不在白名单中"), {
    customer: (gateway) => gateway.customer({ allowedIps: ["10.0.0.0/8"] }),
  }),
  row("a spoofed x-forwarded-for", refused(403, "ip_not_allowed", "IP 不在白名单中"), {
    customer: (gateway) => gateway.customer({ allowedIps: ["10.0.0.0/8"] }),
    headers: { "x-forwarded-for": "10.1.2.3" },
  }),
];

const unknownModel = refused(404, "model_not_found", /^模型 .+ 不存在或未启用$/);

const models = ({ kind }: Endpoint): RefusalRow[] => [
  row("an unknown model", refused(404, "model_not_found", "模型 no-such-model 不存在或未启用"), {
    body: { model: "no-such-model" },
  }),
  row("a disabled model", unknownModel, { model: (gateway) => gateway.model({ isEnabled: false, kind }) }),
  row("a model of another kind", unknownModel, {
    model: (gateway) => gateway.model({ kind: kind === "chat" ? "embedding" : "chat" }),
  }),
  row("OPTIONS", refused(405, "method_not_allowed", /OPTIONS/), { method: "OPTIONS" }),
  row("a wrong method", refused(405, "method_not_allowed", /DELETE/), { method: "DELETE" }),
];

export const unavailable = refused(502, "upstreams_unavailable", "上游渠道全部不可用");
const malformed = refused(502, "upstream_malformed", "上游响应格式异常");

const upstreams = ({ kind }: Endpoint): RefusalRow[] => [
  row("a model without a channel", unavailable, { model: (gateway) => gateway.model({ kind }) }),
  ...[401, 402, 403, 404, 429, 500, 503, 529].map((status) =>
    row(`an upstream that says ${status}`, unavailable, { upstream: refuseWith(status) }),
  ),
  ...[400, 413, 422].map((status) =>
    row(`an upstream that says ${status}`, refused(400, "upstream_rejected", "a field is bad"), {
      upstream: refuseWith(status, "a field is bad"),
    }),
  ),
  row("an upstream that sends HTML", malformed, { upstream: html }),
  row("an upstream that sends half a JSON text", malformed, {
    upstream: answerBytes(200, json, '{"id":"x","choi'),
  }),
  row("an upstream that sends an empty object", malformed, { upstream: answerBytes(200, json, "{}") }),
  row("an upstream that announces more than it sends", unavailable, {
    upstream: (_asked, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
      response.write('{"id":"x"');
      setImmediate(() => response.destroy());
    },
  }),
  row("an upstream that hangs up", unavailable, { upstream: hangUp }),
];

const streams: RefusalRow[] = [
  row("an upstream that streams HTML", malformed, { upstream: html, body: { stream: true } }),
  row("a stream that ends before its first event", malformed, {
    upstream: answerEvents(": hi\n\n"),
    body: { stream: true },
  }),
];

/** Refusals that all endpoints with a price share. */
export const sharedRows = (endpoint: Endpoint): RefusalRow[] => [
  ...bodies,
  ...admission,
  ...models(endpoint),
  // A video is accepted first and made later: failures of its upstream have their own rows.
  ...(endpoint.kind === "video" ? [] : upstreams(endpoint)),
  ...(endpoint.kind === "chat" ? streams : []),
];
