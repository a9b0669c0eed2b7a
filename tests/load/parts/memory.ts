import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { modelOf } from "../chat";
import { busiestOf, forgetPeak, peakBytes, residentBytes, treeOf } from "../measures/process-tree";
import type { Server } from "../processes";
import { number, table } from "../tables";
import { loadJson, loadStreams } from "../workloads/load";
import { holdStreams } from "../workloads/open-streams";
import { readOneStream, type Target } from "../workloads/read-stream";
import type { World } from "../world";
import type { Part } from "./part";

type Plan = { fewCalls: number; manyCalls: number; fewEvents: number; manyEvents: number };
const quick: Plan = { fewCalls: 3_000, manyCalls: 12_000, fewEvents: 1_000, manyEvents: 40_000 };
const full: Plan = { fewCalls: 20_000, manyCalls: 200_000, fewEvents: 1_000, manyEvents: 100_000 };

/** Bytes. `gateway`: the process that answers calls; `all`: of the server. */
type Resident = { gateway: number; all: number };
type Row = { what: string; resident: Resident; base: Resident };

const CONNECTIONS = 32;
const SLOW_READER_PAUSE_MS = 20;
const OPEN_STREAMS = 500;
const model = modelOf("turn");
const collector = pathToFileURL(resolve("tests/load/collect-on-signal.mjs")).href;

/** Nine JSON calls to each stream. */
async function call(target: Target, calls: number): Promise<void> {
  const streams = Math.floor(calls / 10);
  await loadJson(target, { connections: CONNECTIONS, amount: calls - streams });
  const { calls: done } = await loadStreams(target, { connections: CONNECTIONS, amount: streams });
  if (done < streams) {
    throw new Error(`only ${done} of ${streams} streams within the time that the bench has`);
  }
}

/** What is resident once every process has collected its garbage. */
async function residentOf({ pid }: Server): Promise<Resident> {
  const tree = treeOf(pid);
  for (const one of tree) {
    process.kill(one, "SIGUSR2");
  }
  await sleep(1_000);
  const gateway = busiestOf(tree);
  return {
    gateway: gateway === null ? Number.NaN : residentBytes(gateway),
    all: tree.reduce((sum, one) => sum + residentBytes(one), 0),
  };
}

async function withTollgate<T>(
  world: World,
  use: (server: Server, target: Target) => Promise<T>,
): Promise<T> {
  const settings = { NODE_OPTIONS: `--expose-gc --import=${collector}` };
  const server = await world.startTollgate({ settings });
  try {
    return await use(server, { url: server.url, headers: { authorization: `Bearer ${world.secret}` } });
  } finally {
    await server.stop();
  }
}

/** After few and after many calls; then with streams open, and how much more that is for each. */
const measureGrowth = (world: World, plan: Plan, say: (line: string) => void) =>
  withTollgate(world, async (server, target) => {
    say(`${plan.fewCalls} calls`);
    await call(target, plan.fewCalls);
    const few = await residentOf(server);
    say(`${plan.manyCalls - plan.fewCalls} more`);
    await call(target, plan.manyCalls - plan.fewCalls);
    const many = await residentOf(server);
    say(`${OPEN_STREAMS} streams at once`);
    const open = { streams: OPEN_STREAMS, settleMs: 2_000, windowMs: 3_000 };
    let during = many;
    await holdStreams(target, open, async () => {
      await sleep(open.settleMs);
      during = await residentOf(server);
    });
    const after = await residentOf(server);
    const rows: Row[] = [
      { what: `after ${plan.fewCalls} calls`, resident: few, base: few },
      { what: `after ${plan.manyCalls} calls`, resident: many, base: few },
      { what: `while ${OPEN_STREAMS} streams are open`, resident: during, base: few },
      { what: "after them", resident: after, base: few },
    ];
    return { rows, perStream: (during.all - many.all) / OPEN_STREAMS };
  });

/** The most that a fresh server has at a time while one stream passes. */
const measurePeak = (world: World, plan: Plan, stream: { events: number; pauseMs: number }) =>
  withTollgate(world, async (server, target): Promise<Resident> => {
    // The same for all: V8 compiles, and its young generation grows to what streams need.
    await call(target, plan.fewCalls / 2);
    await residentOf(server);
    const tree = treeOf(server.pid);
    tree.forEach(forgetPeak);
    const { events, pauseMs } = stream;
    await readOneStream(target, { call: { model, events }, pauseMs });
    const gateway = busiestOf(tree);
    return {
      gateway: gateway === null ? Number.NaN : peakBytes(gateway),
      all: tree.reduce((sum, one) => sum + peakBytes(one), 0),
    };
  });

async function measurePeaks(world: World, plan: Plan, say: (line: string) => void): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [reader, pauseMs] of [
    ["fast", 0],
    ["slow", SLOW_READER_PAUSE_MS],
  ] as const) {
    let base: Resident | null = null;
    for (const events of [plan.fewEvents, plan.manyEvents]) {
      const what = `peak, one stream of ${events} events, ${reader} reader`;
      say(what);
      const resident: Resident = await measurePeak(world, plan, { events, pauseMs });
      base ??= resident;
      rows.push({ what, resident, base });
    }
  }
  return rows;
}

const mega = (bytes: number) => number(bytes / 1e6, 0);

/** What is resident after calls, with streams open, and while long ones pass. */
export const memory: Part = async ({ world, isQuick, say }) => {
  const plan = isQuick ? quick : full;
  const { rows, perStream } = await measureGrowth(world, plan, say);
  const peaks = await measurePeaks(world, plan, say);
  return {
    how: `Nine JSON calls to each stream; WEB_CONCURRENCY=1. An open stream: ${number(perStream / 1e3, 0)} kB.`,
    tables: [
      table(
        ["resident memory", "gateway MB", "all processes MB", "gateway ÷"],
        [...rows, ...peaks].map(({ what, resident, base }) => [
          what,
          mega(resident.gateway),
          mega(resident.all),
          number(resident.gateway / base.gateway, 2),
        ]),
      ),
    ],
  };
};
