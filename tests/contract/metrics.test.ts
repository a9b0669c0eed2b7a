import { beforeAll, expect, test } from "vitest";
import { COLLECT_MS } from "@/server/domain/metrics";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { messages, perFile } from "@/tests/support/per-file";
import { documentedMetrics, metricsIn, scrape, seriesOf } from "@/tests/support/scraped-metrics";
import {
  answerWith,
  breakAfter,
  chatDelta,
  refuseWith,
  startUpstream,
  usage,
} from "@/tests/support/upstream";
import { advancingTime } from "@/tests/support/virtual-clock";

const time = advancingTime();
const gateway = perFile(() => startGateway({ timers: time.timers }));
const well = perFile(() => startUpstream(answerWith("Hello there", usage(7, 3))));
/** Begins each stream well, then breaks it. */
const broken = perFile(() => startUpstream(breakAfter(chatDelta({ content: "one " }))));
const refusing = perFile(() => startUpstream(refuseWith(500)));

let model: string;

beforeAll(async () => {
  model = await gateway.model({ id: "served" });
  await gateway.channel({ model, name: "well", baseUrl: well.baseUrl });
  const cut = await gateway.model({ id: "cut" });
  await gateway.channel({ model: cut, name: "breaks", baseUrl: broken.baseUrl });
  const refused = await gateway.model({ id: "refused" });
  await gateway.channel({ model: refused, name: "refuses", baseUrl: refusing.baseUrl });
  const { secret } = await gateway.customer();
  for (const body of [
    { model },
    { model, stream: true },
    { model: cut, stream: true },
    { model: cut, stream: true },
    { model: refused },
    { model: "a name of nobody's" },
  ]) {
    await (await gateway.chat(secret, { ...body, messages, max_tokens: 9 })).text();
  }
});

test("a channel that breaks every stream is counted by its name", async () => {
  const text = await scrape(gateway);
  const ends = (channel: string, outcome: string) =>
    seriesOf(text, `tollgate_channel_stream_ends_total{channel="${channel}",outcome="${outcome}"}`);
  expect([ends("breaks", "broken"), ends("breaks", "complete")]).toEqual([2, 0]);
  expect([ends("well", "broken"), ends("well", "complete")]).toEqual([0, 1]);
  expect(text).toMatch(
    /^gen_ai_client_operation_duration_seconds_count\{[^}]*channel="breaks",error_type="broken"\} 2$/m,
  );
});

test("tokens, money, times and errors are counted by model and channel", async () => {
  const text = await scrape(gateway);
  const labels = 'model="served",channel="well"';
  expect(seriesOf(text, `tollgate_tokens_total{${labels},class="input"}`)).toBe(14);
  expect(seriesOf(text, `tollgate_tokens_total{${labels},class="output"}`)).toBe(6);
  expect(seriesOf(text, `tollgate_charged_money_total{${labels}}`)).toBeCloseTo(0.000026, 9);
  const upstream =
    'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="served",channel="well"';
  expect(seriesOf(text, `gen_ai_client_operation_time_to_first_chunk_seconds_count{${upstream}}`)).toBe(1);
  expect(seriesOf(text, `gen_ai_client_token_usage_sum{${upstream},gen_ai_token_type="input"}`)).toBe(14);
  const call = 'gen_ai_operation_name="chat",gen_ai_request_model="served"';
  expect(seriesOf(text, `gen_ai_server_time_to_first_token_seconds_count{${call}}`)).toBe(1);
  expect(seriesOf(text, `gen_ai_server_request_duration_seconds_count{${call}}`)).toBe(2);
  expect(text).toMatch(/^tollgate_errors_total\{endpoint="chat.completions",error="[a-z_]+"\} [1-9]/m);
  expect(seriesOf(text, 'tollgate_requests_open{endpoint="chat.completions"}')).toBe(0);
});

test("no series has a name that is not configured, a key or an account", async () => {
  const text = await scrape(gateway);
  expect(text).not.toMatch(/nobody's|sk-[A-Za-z0-9]|acc_|key_|req_/);
});

test("the metrics include what the worker measures, pools, notices, checks and the version", async () => {
  // Every loop has made its first pass by then.
  time.advance(10_000);
  const held = async () => seriesOf(await scrape(gateway), 'tollgate_holds{kind="call"}');
  await eventually(held, 30_000).toBeGreaterThanOrEqual(0);
  const text = await scrape(gateway);
  for (const series of [
    'tollgate_frozen_money{kind="escrow"}',
    "tollgate_holds_expired",
    'tollgate_rows_without_month{table="ledger_entries"}',
    'tollgate_video_tasks{state="processing"}',
    "tollgate_background_wait_seconds",
    "tollgate_notify_lag_seconds",
    'tollgate_check_failed{check="connections"}',
    'tollgate_database_connections{pool="money"}',
    'tollgate_database_wait_seconds{pool="money"}',
  ]) {
    expect(seriesOf(text, series), series).not.toBeNull();
  }
  expect(seriesOf(text, "tollgate_ledger_months_ahead")).toBeGreaterThan(0);
  expect(seriesOf(text, 'tollgate_loop_last_success_timestamp_seconds{loop="sweep"}')).toBeGreaterThan(1e9);
  expect(text).toMatch(/^tollgate_build_info\{version="\d[^"]*",node="v\d[^"]*"\} 1$/m);
  expect(COLLECT_MS).toBeLessThan(5_000);
});

/** Metrics of the parent process, which it adds to the sum. */
const PARENTS = ["tollgate_process_ends_total", "tollgate_process_resident_bytes"];

test("docs/metrics.md has every metric with its labels, and no other", async () => {
  type Declared = { name: string; labelNames: string[] };
  const declared = (gateway.runtime.metrics.registry.getMetricsAsArray() as unknown as Declared[])
    .filter(({ name }) => /^(tollgate|gen_ai)_/.test(name))
    .map(({ name, labelNames }) => ({ name, labels: labelNames.filter((label) => label !== "le").join() }));
  const parents = PARENTS.map((name) => ({ name, labels: "process" }));
  const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);
  expect(documentedMetrics().toSorted(byName)).toEqual([...declared, ...parents].sort(byName));
  const exportedNames = metricsIn(await scrape(gateway));
  expect(declared.filter(({ name }) => !exportedNames.has(name))).toEqual([]);
});
