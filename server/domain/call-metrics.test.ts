import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { createCallMetrics } from "./call-metrics";

const pickOf =
  <Item>(items: readonly [Item, ...Item[]]) =>
  (index: number): Item =>
    items[index % items.length] ?? items[0];
const outcomeOf = pickOf(["ok", "refused", "timeout", "rejected", "abandoned"]);
const operationOf = pickOf(["chat", "embeddings"]);
const errorOf = pickOf(["", "upstreams_unavailable", "rate_limited"]);

const usage = {
  ...{ inputTokens: 3, cacheReadTokens: 1, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
  ...{ outputTokens: 4, reasoningTokens: 0 },
};

test("calls of ten thousand models by five channels, with every kind of end, are two megabytes of metrics at most", async () => {
  const registry = new Registry();
  const metrics = createCallMetrics(registry);
  for (let index = 0; index < 50_000; index++) {
    const operation = operationOf(index);
    const modelId = `a-vendor/a-model-with-a-name-${Math.floor(index / 5)}`;
    const attempt = {
      channel: `channel-${index % 5}`,
      api: "openai",
      operation,
      modelId,
      firstMs: 20,
      elapsedMs: 300,
    };
    metrics.attemptEnded({ ...attempt, outcome: outcomeOf(Math.floor(index / 3)) });
    metrics.callCharged(attempt, { usage, money: 3 });
    metrics.callEnded({ operation, modelId, error: errorOf(index), firstMs: 3, elapsedMs: 4 });
  }
  const text = await registry.metrics();
  expect(text.length).toBeLessThan(2_000_000);
  // All are counted.
  const counts = [...text.matchAll(/^gen_ai_client_operation_duration_seconds_count\{.*\} (\d+)$/gm)];
  expect(counts.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(50_000);
});
