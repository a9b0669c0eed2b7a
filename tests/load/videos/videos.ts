import { setTimeout as sleep } from "node:timers/promises";
import { treeCpuMicros } from "../measures/process-tree";
import type { Part } from "../parts/part";
import type { Server } from "../processes";
import { countLooks, firstGaps, type Gaps, laterGaps, ROUND_MS, type TaskLooks } from "./video-looks";
import { askStatus, type Latency, latencyOf, type Query, type Submitted, splitByLook } from "./video-queries";
import { gapTable, queryTable, settleTable } from "./video-report";
import { checkBooks, openShop, type VideoShop } from "./video-shop";

const REPLICAS = 2;

type Plan = {
  tasks: number;
  rounds: number;
  queriesPerSecond: number;
  /** How many channels share the tasks: one case for each. */
  channels: number[];
};
const quick: Plan = { tasks: 100, rounds: 1, queriesPerSecond: 200, channels: [1] };
const full: Plan = { tasks: 500, rounds: 3, queriesPerSecond: 200, channels: [1, 3] };

/** What was measured in a number of rounds, with queries or without. */
export type Phase = {
  gaps: Gaps;
  looks: number;
  /** Processor time of all replicas together, as a share of one core. */
  cpuShare: number;
  queries: { all: Latency; cached: Latency; inline: Latency } | null;
};

export type VideoCase = {
  channels: number;
  tasks: number;
  submitMs: number;
  /** Between submission and the first look, when all tasks fall due together. */
  first: Gaps;
  alone: Phase;
  asked: Phase;
  settleMs: number;
};

type Stage = { vendor: Server; replicas: Server[]; shop: VideoShop; secret: string; plan: Plan };

const cpuSeconds = (replicas: Server[]): number =>
  replicas.reduce((sum, { pid }) => sum + (treeCpuMicros(pid) ?? Number.NaN), 0) / 1e6;

/** Runs a phase, and then asks the vendor what it saw of the tasks meanwhile. */
async function measurePhase(
  { vendor, replicas, plan }: Stage,
  prompts: Set<string>,
  run: (durationMs: number) => Promise<Query[]>,
): Promise<Phase> {
  const cpuBefore = cpuSeconds(replicas);
  const from = Date.now();
  const queries = await run(plan.rounds * ROUND_MS);
  const to = Date.now();
  const cpu = cpuSeconds(replicas) - cpuBefore;
  const tasks = await looksAt(vendor, prompts);
  const { inline, cached } = splitByLook(queries, tasks);
  return {
    gaps: laterGaps(tasks, { from, to }),
    looks: countLooks(tasks, { from, to }),
    cpuShare: (cpu * 1_000) / (to - from),
    queries:
      queries.length === 0
        ? null
        : { all: latencyOf(queries), cached: latencyOf(cached), inline: latencyOf(inline) },
  };
}

const looksAt = async (vendor: Server, prompts: Set<string>): Promise<TaskLooks[]> =>
  (await vendor.ask<TaskLooks[]>("looks")).filter(({ prompt }) => prompts.has(prompt));

/** Waits until every task has been looked at once. */
async function firstRound({ vendor }: Stage, prompts: Set<string>): Promise<Gaps> {
  for (;;) {
    const tasks = await looksAt(vendor, prompts);
    if (tasks.every(({ looks }) => looks.length > 0)) {
      return firstGaps(tasks);
    }
    await sleep(500);
  }
}

/** Everything that was ordered becomes ready at once, and nobody asks: how long until all of it is charged. */
async function settle({ vendor, shop }: Stage, tasks: Submitted[]): Promise<number> {
  const began = performance.now();
  await vendor.ask("finish");
  await shop.untilSettled();
  const settleMs = performance.now() - began;
  checkBooks(await shop.books(tasks), tasks.length);
  return settleMs;
}

async function runCase(stage: Stage, channels: number, say: (line: string) => void): Promise<VideoCase> {
  const { plan, replicas, shop, secret } = stage;
  const urls = replicas.map(({ url }) => url);
  say(`${plan.tasks} tasks, channels: ${channels}; submitting`);
  const from = Date.now();
  const tasks = await shop.submit(urls, { count: plan.tasks, channels });
  const submitMs = Date.now() - from;
  const prompts = new Set(tasks.map(({ prompt }) => prompt));
  const first = await firstRound(stage, prompts);
  say(`Rounds without queries: ${plan.rounds}`);
  const alone = await measurePhase(stage, prompts, async (durationMs) => {
    await sleep(durationMs);
    return [];
  });
  say(`Rounds with ${plan.queriesPerSecond} queries a second: ${plan.rounds}`);
  // Compiled code and open connections, as a server in use has them.
  const asking = { urls, secret, tasks, perSecond: plan.queriesPerSecond };
  await askStatus({ ...asking, durationMs: 5_000 });
  const asked = await measurePhase(stage, prompts, (durationMs) => askStatus({ ...asking, durationMs }));
  say("All tasks become ready");
  return {
    channels,
    tasks: tasks.length,
    submitMs,
    first,
    alone,
    asked,
    settleMs: await settle(stage, tasks),
  };
}

/** Open tasks on replicas: whether rounds of looks and answers from cache are in time. */
export const videos: Part = async ({ world, isQuick, say }) => {
  const plan = isQuick ? quick : full;
  const vendor = await world.startVideoUpstream();
  const shop = await openShop(world, vendor.url);
  const settings = { VIDEO_RATE_LIMIT_PER_MINUTE: "100000", VIDEO_TIMEOUT_SECONDS: "86400" };
  const replicas: Server[] = [];
  try {
    for (let replica = 0; replica < REPLICAS; replica++) {
      replicas.push(await world.startTollgate({ settings }));
    }
    const cases: VideoCase[] = [];
    for (const channels of plan.channels) {
      cases.push(await runCase({ vendor, replicas, shop, secret: world.secret, plan }, channels, say));
    }
    return {
      how: `${plan.tasks} open tasks, two replicas, ${plan.queriesPerSecond} status queries a second; rounds of 15 s, without queries and then with them: ${plan.rounds} each.`,
      tables: [gapTable(cases), queryTable(cases), settleTable(cases)],
    };
  } finally {
    await Promise.all([vendor, ...replicas].map((server) => server.stop()));
    await shop.db.close();
  }
};
