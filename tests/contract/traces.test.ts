import { beforeAll, expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { attributesOf, collectors, exportRecorder } from "@/tests/support/collector";
import { perFile } from "@/tests/support/per-file";
import { startGateway, type TestGateway } from "../support/gateway";
import { sharedGateway } from "../support/shared-gateway";
import { answerWith, refuseWith, startUpstream } from "../support/upstream";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;

const kept = exportRecorder();
const collector = collectors();
let traced: TestGateway;
let lines = "";
const write = (line: string) => {
  lines += line;
};
const plain = perFile(sharedGateway);
const first = perFile(() => startUpstream(refuseWith(503)));
const second = perFile(() => startUpstream(answerWith("here")));

beforeAll(async () => {
  const endpoint = await collector(kept.answer);
  traced = await startGateway({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, TRUSTED_PROXIES: "127.0.0.2" },
    log: createLog("info", { write }),
  });
});

const messages = [{ role: "user", content: "nobody's business" }];
type TracedCall = { secret: string; model: string; stream?: true };

const post = (gateway: TestGateway, { secret, ...body }: TracedCall, headers: Record<string, string>) =>
  gateway.post(secret, "chat/completions", { messages, ...body }, { headers });

async function modelWithTwoChannels(gateway: TestGateway) {
  const model = await gateway.model();
  await gateway.channel({ model, name: `down ${model}`, baseUrl: first.baseUrl, priority: 2 });
  await gateway.channel({ model, name: `up ${model}`, baseUrl: second.baseUrl, priority: 1 });
  const { secret } = await gateway.customer();
  return { model, secret };
}

test("without a collector a client's trace is passed on as it is, and an invalid one is not", async () => {
  const { model, secret } = await modelWithTwoChannels(plain);
  const headers = { traceparent: TRACEPARENT, tracestate: "vendor=1" };
  expect((await post(plain, { model, secret }, headers)).status).toBe(200);
  expect(second.requests.at(-1)?.headers).toMatchObject(headers);
  expect((await post(plain, { model, secret }, { traceparent: "00-0-0-01" })).status).toBe(200);
  expect(second.requests.at(-1)?.headers.traceparent).toBeUndefined();
});

test("a call is a span, its attempts are spans in it, and none contains what was said", async () => {
  const { model, secret } = await modelWithTwoChannels(traced);
  const headers = { traceparent: TRACEPARENT, "x-request-id": "order-7" };
  const answer = await post(traced, { model, secret, stream: true }, headers);
  expect(answer.headers.get("x-request-id")).toMatch(/^req_/);
  await answer.text();
  await traced.close();

  const spans = kept.spans();
  const server = spans.find(({ kind }) => kind === 2);
  const clients = spans.filter(({ kind }) => kind === 3);
  expect(server?.name).toBe("POST /v1/chat/completions");
  // A client that is not trusted does not decide whether its call is recorded: its trace becomes a link.
  expect(server?.traceId).not.toBe(TRACE);
  expect(server?.links).toMatchObject([{ traceId: TRACE }]);
  expect(attributesOf(server)).toMatchObject({
    "http.response.status_code": 200,
    "http.route": "/v1/chat/completions",
    "tollgate.request_id": answer.headers.get("x-request-id"),
    "gen_ai.usage.output_tokens": expect.any(Number),
  });
  expect(clients.map(({ parentSpanId }) => parentSpanId)).toEqual([server?.spanId, server?.spanId]);
  expect(clients.map((span) => [span.name, span.status.code ?? 0])).toEqual([
    [`chat ${model}`, 2],
    [`chat ${model}`, 0],
  ]);
  expect(attributesOf(clients[0])).toMatchObject({
    "error.type": "refused",
    "http.response.status_code": 503,
    "tollgate.channel": `down ${model}`,
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
  });
  expect(attributesOf(clients[1])).toMatchObject({
    "gen_ai.response.time_to_first_chunk": expect.any(Number),
  });
  for (const span of spans) {
    expect(BigInt(span.endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(span.startTimeUnixNano));
  }
  expect(kept.text()).not.toMatch(/nobody's business|upstream-secret/);
  expect(kept.text()).not.toContain(secret);
  // The upstream continues the trace of the call here, and the call's log line names both.
  expect(second.requests.at(-1)?.headers.traceparent).toBe(`00-${server?.traceId}-${server?.spanId}-01`);
  expect(lines).toContain(`"clientRequestId":"order-7"`);
  expect(lines).toContain(`"traceId":"${server?.traceId}"`);
});

test("a span of a call fails if the gateway or an upstream did, and not if the client made the error", async () => {
  const own = exportRecorder();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await collector(own.answer) };
  const gateway = await startGateway({ env });
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: first.baseUrl });
  const { secret } = await gateway.customer();
  for (const called of [model, "a model of no one's"]) {
    await (await post(gateway, { model: called, secret }, {})).text();
  }
  await (await post(gateway, { model, secret: "sk-unknown" }, {})).text();
  await gateway.close();
  const shown = own.spans().filter(({ kind }) => kind === 2);
  const ends = shown.map((span) => [attributesOf(span)["http.response.status_code"], span.status.code ?? 0]);
  expect(ends.toSorted()).toEqual([
    [401, 0],
    [404, 0],
    [502, 2],
  ]);
  expect(shown.map((span) => attributesOf(span)["error.type"])).not.toContain(undefined);
});
