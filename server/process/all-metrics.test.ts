import { expect, test } from "vitest";
import { createMetrics } from "@/server/domain/metrics";
import { createAllMetrics } from "./all-metrics";

function measuring(state: string) {
  const metrics = createMetrics(async () => [
    { channelId: "chn_1", name: "one", provider: "openai", state, operations: [] },
  ]);
  const measured = async () => JSON.parse(JSON.stringify(await metrics.registry.getMetricsAsJSON()));
  return { metrics, measured };
}

const counted = (text: string) =>
  Number(/^tollgate_requests_total\{endpoint="chat",status="200"\} (\d+)$/m.exec(text)?.[1]);

test("sums of all processes never fall: what a process had counted stays when it has ended, once", async () => {
  const all = createAllMetrics("console");
  const [first, second] = [measuring("well"), measuring("well")];
  first.metrics.requests.inc({ endpoint: "chat", status: 200 }, 3);
  first.metrics.latency.observe({ endpoint: "chat" }, 0.01);
  second.metrics.requests.inc({ endpoint: "chat", status: 200 }, 4);
  all.note("gateway-1", await first.measured());
  all.note("gateway-2", await second.measured());
  expect(counted(await all.text())).toBe(7);
  all.end("gateway-1");
  expect(counted(await all.text())).toBe(7);
  const replaced = measuring("well");
  replaced.metrics.requests.inc({ endpoint: "chat", status: 200 });
  all.note("gateway-1", await replaced.measured());
  expect(counted(await all.text())).toBe(8);
  all.end("gateway-1");
  all.end("gateway-2");
  const text = await all.text();
  expect(counted(text)).toBe(8);
  expect(text).toContain('tollgate_request_seconds_bucket{le="0.02",endpoint="chat"} 1');
});

test("a channel has one state, which is the console's word, and gauges of the dead are gone", async () => {
  const all = createAllMetrics("console");
  all.note("gateway-1", await measuring("open").measured());
  all.note("console", await measuring("faulty").measured());
  const text = await all.text();
  expect(text.match(/^tollgate_channel_state\{.*$/gm)).toEqual([
    'tollgate_channel_state{channel="chn_1",state="faulty"} 1',
  ]);
  expect(all.residentBytes().map(({ process }) => process)).toEqual(["gateway-1", "console"]);
  all.end("gateway-1");
  expect(all.residentBytes().map(({ process }) => process)).toEqual(["console"]);
  expect(await all.text()).not.toMatch(/\b(?:NaN|null|undefined)\b/);
});
