import { expect, test } from "vitest";
import { createMetrics } from "@/server/domain/metrics";
import { createAllMetrics } from "./all-metrics";

function createProcess(state: string) {
  const metrics = createMetrics(async () => [
    { channelId: "chn_1", name: "one", provider: "openai", state, operations: [] },
  ]);
  const measured = async () => JSON.parse(JSON.stringify(await metrics.registry.getMetricsAsJSON()));
  return { metrics, measured };
}

const requestsIn = (text: string) =>
  Number(/^tollgate_requests_total\{endpoint="chat",status="200"\} (\d+)$/m.exec(text)?.[1]);

test("sums of all processes never fall, because the counts of an ended process are kept once", async () => {
  const all = createAllMetrics("console");
  const [first, second] = [createProcess("well"), createProcess("well")];
  first.metrics.requests.inc({ endpoint: "chat", status: 200 }, 3);
  first.metrics.latency.observe({ endpoint: "chat" }, 0.01);
  second.metrics.requests.inc({ endpoint: "chat", status: 200 }, 4);
  all.note("gateway-1", await first.measured());
  all.note("gateway-2", await second.measured());
  expect(requestsIn(await all.text())).toBe(7);
  all.end("gateway-1");
  expect(requestsIn(await all.text())).toBe(7);
  const replaced = createProcess("well");
  replaced.metrics.requests.inc({ endpoint: "chat", status: 200 });
  all.note("gateway-1", await replaced.measured());
  expect(requestsIn(await all.text())).toBe(8);
  all.end("gateway-1");
  all.end("gateway-2");
  const text = await all.text();
  expect(requestsIn(text)).toBe(8);
  expect(text).toContain('tollgate_request_seconds_bucket{le="0.02",endpoint="chat"} 1');
});

test("a channel has one state, which comes from the console, and an ended process has no gauges", async () => {
  const all = createAllMetrics("console");
  all.note("gateway-1", await createProcess("open").measured());
  all.note("console", await createProcess("faulty").measured());
  const text = await all.text();
  expect(text.match(/^tollgate_channel_state\{.*$/gm)).toEqual([
    'tollgate_channel_state{channel="chn_1",state="faulty"} 1',
  ]);
  expect(all.residentBytes().map(({ process }) => process)).toEqual(["gateway-1", "console"]);
  all.end("gateway-1");
  expect(all.residentBytes().map(({ process }) => process)).toEqual(["console"]);
  expect(await all.text()).not.toMatch(/\b(?:NaN|null|undefined)\b/);
});
