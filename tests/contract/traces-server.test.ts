import { describe, expect, test, vi } from "vitest";
import packageJson from "@/package.json";
import { loadConfig } from "@/server/base/config";
import { createLog } from "@/server/base/log";
import { openTracing } from "@/server/base/tracing";
import { collectGarbage } from "@/tests/support/collect-garbage";
import { attributesOf, collectors, exportRecorder } from "@/tests/support/collector";
import { freePort } from "@/tests/support/free-port";
import { postTo, serverEnvironment } from "@/tests/support/gateway";
import { messages, perFile, served } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { until } from "@/tests/support/until";
import { answerWith, type UpstreamHandler, usage } from "@/tests/support/upstream";

const collector = collectors();
/** Vendors answer with a dated model name. */
const named: UpstreamHandler = (call, ...rest) => {
  const body = { ...call.body, model: "vendor-model-2026-11-05" };
  return answerWith("Hello there", usage(7, 3))({ ...call, body }, ...rest);
};
const { gateway, model } = served(named);
const customer = perFile(() => gateway.customer());

/** The built server with this collector; it exports every 200 ms. */
const startTraced = (endpoint: string) =>
  startServer({
    ...serverEnvironment(gateway.databaseUrl),
    ...{ LOG_LEVEL: "warn", WEB_CONCURRENCY: "1", LAME_DUCK_SECONDS: "0" },
    ...{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: "200" },
  });

const call = (url: string, secret = customer.secret) =>
  postTo(url)(secret, "chat/completions", { model, messages });

test("the built server exports a call with every documented attribute, also one that ends as the server stops", async () => {
  const kept = exportRecorder();
  const server = await startTraced(await collector(kept.answer));
  const answer = await call(server.url);
  expect(answer.status).toBe(200);
  expect((await call(server.url, "sk-nobody")).status).toBe(401);
  await server.stop();

  expect(attributesOf(kept.resources()[0])).toMatchObject({
    "service.name": "tollgate",
    "service.version": packageJson.version,
    "service.instance.id": expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/),
  });
  const shown = kept.spans().map(({ kind, name, ...span }) => ({ kind, name, ...attributesOf(span) }));
  expect(shown.filter(({ kind }) => kind === 3)).toEqual([
    {
      ...{ kind: 3, name: `chat ${model}` },
      "gen_ai.operation.name": "chat",
      "gen_ai.provider.name": "openai",
      "gen_ai.request.model": model,
      "gen_ai.response.model": "vendor-model-2026-11-05",
      "http.response.status_code": 200,
      "tollgate.channel": expect.any(String),
      "tollgate.model": model,
    },
  ]);
  expect(shown.filter(({ kind }) => kind === 2)).toEqual([
    {
      ...{ kind: 2, name: "POST /v1/chat/completions" },
      "http.request.method": "POST",
      "http.route": "/v1/chat/completions",
      "http.response.status_code": 200,
      "gen_ai.usage.input_tokens": 7,
      "gen_ai.usage.output_tokens": 3,
      "tollgate.request_id": answer.headers.get("x-request-id"),
      "tollgate.account_id": customer.accountId,
      "tollgate.cost": "0.000013",
    },
    expect.objectContaining({ "http.response.status_code": 401, "error.type": expect.any(String) }),
  ]);
});

const dead: [string, () => Promise<string>][] = [
  ["does not exist", async () => `http://127.0.0.1:${await freePort()}`],
  ["never answers", () => collector(() => {})],
  ["refuses all", () => collector((_, response) => void response.writeHead(503).end())],
];

test.each(dead)("a collector that %s loses no call and delays no stop", async (_, open) => {
  const server = await startTraced(await open());
  const before = (await gateway.entries(customer.accountId)).length;
  for (let batch = 0; batch < 5; batch++) {
    const answers = await Promise.all(Array.from({ length: 12 }, () => call(server.url)));
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    await Promise.all(answers.map((answer) => answer.text()));
  }
  server.child.kill("SIGTERM");
  // The time of a stop, plus the three seconds that such a collector may cost.
  await until(() => server.child.exitCode !== null, 10_000);
  expect(server.child.exitCode).toBe(0);
  await until(async () => (await gateway.entries(customer.accountId)).length === before + 60);
  expect(server.output().split("traces are not delivered").length - 1).toBeLessThanOrEqual(2);
  expect(await gateway.verify()).toEqual([]);
});

describe("a collector that never answers", () => {
  const heap = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };

  test("does not make memory grow: spans without room in the queue are dropped", async () => {
    const config = loadConfig({
      ...serverEnvironment(gateway.databaseUrl),
      OTEL_EXPORTER_OTLP_ENDPOINT: await collector(() => {}),
    });
    const tracing = await openTracing(config, createLog("silent"));
    const spans = (count: number) => {
      for (let each = 0; each < count; each++) {
        const span = tracing?.begin("POST /v1/chat/completions", { remote: null, isTrusted: false });
        span?.child("chat x", { beganAt: Date.now(), endedAt: Date.now() }, { attributes: {}, error: null });
        span?.end({ attributes: { "tollgate.request_id": `req_${each}` }, error: null });
      }
    };
    spans(5_000);
    const full = heap();
    spans(50_000);
    // 100,000 spans would take about 100 MB.
    expect(heap() - full).toBeLessThan(8_000_000);
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    try {
      const closed = tracing?.close();
      vi.advanceTimersByTime(3_000);
      await closed;
    } finally {
      vi.useRealTimers();
    }
  });
});
