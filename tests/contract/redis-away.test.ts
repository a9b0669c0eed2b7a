import { expect, test } from "vitest";
import { createLog } from "@/server/base/log";
import { startGateway } from "@/tests/support/gateway";
import { startRedis } from "@/tests/support/redis";
import { until } from "@/tests/support/until";
import { answerWith, startUpstream } from "@/tests/support/upstream";

type Readiness = (gateway: Awaited<ReturnType<typeof startGateway>>) => Promise<boolean> | null;

/** `isReady`: whether the gateway's client may be asked; the server's word for it comes a moment before. */
async function callsThrough(redisUrl: string, isReady: Readiness = () => null) {
  const lines: string[] = [];
  const log = createLog("warn", { write: (line: string) => void lines.push(line) });
  const gateway = await startGateway({ env: { REDIS_URL: redisUrl }, log });
  const upstream = await startUpstream(answerWith("fine"));
  try {
    await until(async () => (await isReady(gateway)) ?? true);
    const model = await gateway.model();
    await gateway.channel({ model, baseUrl: upstream.baseUrl });
    const { secret } = await gateway.customer({ requestsPerMinute: 4 });
    const call = async () =>
      (await gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] })).status;
    const started = performance.now();
    // Two calls that find Redis silent at the same time.
    const statuses = await Promise.all([call(), call()]);
    for (let calls = 2; calls < 5; calls++) {
      statuses.push(await call());
    }
    const { values } = await gateway.runtime.metrics.redisFallbacks.get();
    return {
      statuses,
      elapsedMs: performance.now() - started,
      fallbacks: values[0]?.value,
      warnings: lines.filter((line) => line.includes("Redis")),
    };
  } finally {
    await gateway.close();
    await upstream.close();
  }
}

test("a Redis that does not answer stops no call, and the limit holds all the same", async () => {
  // No server listens on the discard port.
  const { statuses, fallbacks, warnings } = await callsThrough("redis://127.0.0.1:9");
  expect(statuses).toEqual([200, 200, 200, 200, 429]);
  expect(fallbacks).toBeGreaterThanOrEqual(4);
  expect(warnings).toHaveLength(1);
});

test("a Redis that accepts connections and stays silent delays calls by one deadline only, and the limit holds all the same", async () => {
  const silent = await startRedis();
  silent.says("");
  const { statuses, elapsedMs, fallbacks, warnings } = await callsThrough(silent.url, ({ runtime }) =>
    runtime.access.askRedis(),
  );
  silent.close();
  expect(statuses).toEqual([200, 200, 200, 200, 429]);
  // The first two calls asked it at once; later calls did not.
  expect(silent.scripts()).toBe(2);
  // One deadline, not one for each call; the rest is a margin for a busy machine.
  expect(elapsedMs).toBeLessThan(10_000);
  expect(fallbacks).toBeGreaterThanOrEqual(4);
  expect(warnings).toHaveLength(1);
});
