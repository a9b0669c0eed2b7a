import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";
import { createVault } from "@/server/base/vault";
import { saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import type { Database } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { money } from "@/tests/support/customer";
import { percentile } from "../measures/percentile";
import { treeCpuMicros } from "../measures/process-tree";
import type { Server } from "../processes";
import { number, table } from "../tables";
import { FASTEST_LOOK_MS, type TaskLooks } from "../videos/looks";
import { SECRETS, type World } from "../world";
import type { BenchPart } from "./part";

const REPLICAS = 2;
const QUERIES_PER_SECOND = 200;
const MODEL = "wanx2.1-t2v-turbo";
const PATH = "/v1/videos/generations";
const SUBMITTERS = 16;
const CONNECTIONS = 32;
const SETTLE_DEADLINE_MS = 120_000;
/** A round, and how much later a poll may come without being late; see docs/benchmarks.md. */
const ROUND_MS = 15_000;
const LATE_MS = ROUND_MS + 3_000;

type VideosPlan = { tasks: number; rounds: number };
const quick: VideosPlan = { tasks: 100, rounds: 1 };
const full: VideosPlan = { tasks: 500, rounds: 3 };

type SubmittedTask = { id: string; prompt: string };
/** A status query: its start and its answer in unix milliseconds, and its duration. */
type StatusQuery = { prompt: string; from: number; to: number; ms: number };
type VideoSetup = { urls: string[]; secret: string };

/** One vendor has all tasks, because a process limits its polls of a channel. */
async function sellVideos(db: Database, vendorUrl: string): Promise<void> {
  const price = money("1.25");
  const videoPrices = [{ durationSeconds: 5, resolution: "720p" as const, price }];
  await saveModel(db, { id: MODEL, kind: "video", isEnabled: true, videoPrices });
  const target = { baseUrl: `${vendorUrl}/dashscope/api/v1`, secrets: ["upstream-secret"] };
  await addChannel(
    db,
    { name: "videos", dialect: "dashscope", ...target, models: { [MODEL]: MODEL }, maxTasks: 100_000 },
    createVault(SECRETS.ENCRYPTION_KEY),
  );
}

async function submit({ urls, secret }: VideoSetup, count: number): Promise<SubmittedTask[]> {
  const tasks: SubmittedTask[] = [];
  let next = 0;
  const submitOne = async (order: number) => {
    const prompt = `order ${order}`;
    const response = await fetch(`${urls[order % urls.length]}${PATH}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify({ model: MODEL, prompt }),
    });
    const { id } = (await response.json()) as { id?: string };
    if (response.status !== 202 || id === undefined) {
      throw new Error(`a submission was answered ${response.status}`);
    }
    tasks.push({ id, prompt });
  };
  const submitter = async () => {
    while (next < count) {
      await submitOne(next++);
    }
  };
  await Promise.all(Array.from({ length: SUBMITTERS }, submitter));
  return tasks;
}

/**
 * Sends queries at random moments (Poisson), each for a random task to the next replica, without waiting for other
 * answers. Throws if one is not answered with 200.
 */
async function askStatus(
  { urls, secret }: VideoSetup,
  tasks: SubmittedTask[],
  durationMs: number,
): Promise<StatusQuery[]> {
  const pools = urls.map((url) => new Pool(url, { connections: CONNECTIONS, pipelining: 1 }));
  const ask = async (pool: Pool, { id, prompt }: SubmittedTask): Promise<StatusQuery> => {
    const from = Date.now();
    const began = performance.now();
    const { statusCode, body } = await pool.request({
      method: "GET",
      path: `${PATH}/${id}`,
      headers: { authorization: `Bearer ${secret}` },
    });
    const text = await body.text();
    if (statusCode !== 200) {
      throw new Error(`a status query was answered ${statusCode}: ${text}`);
    }
    return { prompt, from, to: Date.now(), ms: performance.now() - began };
  };
  const began = performance.now();
  const queries: Promise<StatusQuery>[] = [];
  try {
    for (let due = 0; due < durationMs; due += (-Math.log(1 - Math.random()) * 1_000) / QUERIES_PER_SECOND) {
      const early = began + due - performance.now();
      if (early > 0) {
        await sleep(early);
      }
      const pool = pools[queries.length % pools.length];
      const task = tasks[Math.floor(Math.random() * tasks.length)];
      if (pool && task) {
        queries.push(ask(pool, task));
      }
    }
    return await Promise.all(queries);
  } finally {
    await Promise.all(pools.map((pool) => pool.destroy()));
  }
}

/** The gaps between two polls of which the later one is within the span. An open gap counts once it is late. */
const gapsOf = (tasks: TaskLooks[], { from, to }: { from: number; to: number }): number[] =>
  tasks.flatMap(({ looks }) => {
    const pastLooks = looks.filter((at) => at <= to);
    const gaps = pastLooks.slice(1).flatMap((at, index) => (at >= from ? at - (pastLooks[index] ?? at) : []));
    const open = to - (pastLooks.at(-1) ?? to);
    return open > LATE_MS ? [...gaps, open] : gaps;
  });

/**
 * Queries that did not wait for the vendor: it was not polled for their task meanwhile, or they were faster than it is.
 * The database answered them, including slow ones.
 */
function fromCache(queries: StatusQuery[], tasks: TaskLooks[]): StatusQuery[] {
  const looks = new Map(tasks.map((task) => [task.prompt, task.looks]));
  return queries.filter(
    ({ prompt, from, to, ms }) =>
      ms < FASTEST_LOOK_MS || !(looks.get(prompt) ?? []).some((at) => at >= from && at <= to),
  );
}

/** All tasks become ready at once, and no client asks: the time until all are charged, once. */
async function settle({ db, expectCharged }: World, { vendor, count }: { vendor: Server; count: number }) {
  const began = performance.now();
  await vendor.ask("finish");
  for (let open = 1; open > 0; ) {
    await sleep(100);
    const [row] = await sqlOf(db)<{ count: number }[]>`
      select count(*)::int as count from video_tasks where state in ('submitting', 'processing')`;
    open = row?.count ?? 0;
    if (performance.now() - began > SETTLE_DEADLINE_MS) {
      throw new Error(`${open} tasks are still open`);
    }
  }
  const settledMs = performance.now() - began;
  await expectCharged(count);
  return settledMs;
}

const cpuSeconds = (servers: Server[]): number =>
  servers.reduce((sum, { pid }) => sum + (treeCpuMicros(pid) ?? Number.NaN), 0) / 1e6;

const ascending = (values: number[]) => values.toSorted((left, right) => left - right);

async function measure(
  stage: VideoSetup,
  plan: VideosPlan,
  { vendor, replicas }: { vendor: Server; replicas: Server[] },
) {
  const tasks = await submit(stage, plan.tasks);
  const looksOf = () => vendor.ask<TaskLooks[]>("looks");
  while ((await looksOf()).some(({ looks }) => looks.length === 0)) {
    await sleep(500);
  }
  // Compiled code and open connections, as a server in use has them.
  await askStatus(stage, tasks, 5_000);
  const [from, cpuBefore] = [Date.now(), cpuSeconds(replicas)];
  const queries = await askStatus(stage, tasks, plan.rounds * ROUND_MS);
  const [to, cpu] = [Date.now(), cpuSeconds(replicas) - cpuBefore];
  const looks = await looksOf();
  const gaps = ascending(gapsOf(looks, { from, to }));
  const cached = ascending(fromCache(queries, looks).map(({ ms }) => ms));
  const inTime = gaps.filter((gap) => gap <= LATE_MS).length / gaps.length;
  return [
    ...[number(percentile(cached, 0.5), 1), number(percentile(cached, 0.95), 1)],
    `${number((cached.length / queries.length) * 100, 1)} %`,
    ...[number((gaps[0] ?? Number.NaN) / 1_000, 2), number((gaps.at(-1) ?? Number.NaN) / 1_000, 2)],
    `${number(inTime * 100, 1)} %`,
    `${number((cpu * 100_000) / (to - from), 1)} %`,
  ];
}

/** Open tasks on replicas: whether poll rounds and answers from the cache are in time. */
export const videos: BenchPart = async ({ world, isQuick, say }) => {
  const plan = isQuick ? quick : full;
  const vendor = await world.startVideoUpstream();
  await sellVideos(world.db, vendor.url);
  const settings = { VIDEO_RATE_LIMIT_PER_MINUTE: "100000", VIDEO_TIMEOUT_SECONDS: "86400" };
  const replicas: Server[] = [];
  while (replicas.length < REPLICAS) {
    replicas.push(await world.startTollgate({ settings }));
  }
  say(`${plan.tasks} tasks; then ${plan.rounds} rounds with ${QUERIES_PER_SECOND} queries a second`);
  const stage = { urls: replicas.map(({ url }) => url), secret: world.secret };
  const figures = await measure(stage, plan, { vendor, replicas });
  say("All tasks become ready");
  const settledMs = await settle(world, { vendor, count: plan.tasks });
  const head = ["from cache: p50 ms", "p95 ms", "of all queries", "looks: shortest s", "longest s"];
  return {
    how: `${plan.tasks} open tasks of one channel, two replicas, ${QUERIES_PER_SECOND} status queries a second; ${plan.rounds} rounds of 15 s. Afterwards each task was charged once and alike.`,
    tables: [
      table(
        [...head, `within ${LATE_MS / 1_000} s`, "CPU", "all settled in s"],
        [[...figures, number(settledMs / 1_000, 2)]],
      ),
    ],
  };
};
