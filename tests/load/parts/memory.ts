import { setTimeout as sleep } from "node:timers/promises";
import { busiestOf, residentBytes } from "../measures/process-tree";
import { collectedOf, collecting, sumOf } from "../measures/resident";
import type { Server } from "../processes";
import { number, table } from "../tables";
import { loadJson, loadStreams } from "../workloads/load";
import { holdStreams } from "../workloads/open-streams";
import type { LoadTarget } from "../workloads/read-stream";
import type { World } from "../world";
import type { BenchPart } from "./part";

type MemoryPlan = { fewCalls: number; manyCalls: number };
const quick: MemoryPlan = { fewCalls: 3_000, manyCalls: 12_000 };
const full: MemoryPlan = { fewCalls: 20_000, manyCalls: 200_000 };

/** Bytes. `gateway`: the process that answers calls; `all`: the whole server. */
type Resident = { gateway: number; all: number };
type MemoryRow = { what: string; resident: Resident; base: Resident };

const CONNECTIONS = 32;
const OPEN_STREAMS = 500;

/** Nine JSON calls for each stream. */
async function call(target: LoadTarget, calls: number): Promise<void> {
  const streams = Math.floor(calls / 10);
  await loadJson(target, { connections: CONNECTIONS, amount: calls - streams });
  const { calls: done } = await loadStreams(target, { connections: CONNECTIONS, amount: streams });
  if (done < streams) {
    throw new Error(`only ${done} of ${streams} streams within the time that the bench has`);
  }
}

/** The resident size after every process has collected its garbage. */
async function residentOf(server: Server): Promise<Resident> {
  const processes = await collectedOf(server);
  const gateway = busiestOf(processes.map(({ pid }) => pid));
  return { gateway: gateway === null ? Number.NaN : residentBytes(gateway), all: sumOf(processes) };
}

async function withTollgate<T>(
  world: World,
  use: (server: Server, target: LoadTarget) => Promise<T>,
): Promise<T> {
  const server = await world.startTollgate({ settings: collecting });
  try {
    return await use(server, { url: server.url, headers: { authorization: `Bearer ${world.secret}` } });
  } finally {
    await server.stop();
  }
}

/** After few and after many calls; then with open streams, and the difference for each of them. */
const measureGrowth = (world: World, plan: MemoryPlan, say: (line: string) => void) =>
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
    const rows: MemoryRow[] = [
      { what: `after ${plan.fewCalls} calls`, resident: few, base: few },
      { what: `after ${plan.manyCalls} calls`, resident: many, base: few },
      { what: `while ${OPEN_STREAMS} streams are open`, resident: during, base: few },
      { what: "after them", resident: after, base: few },
    ];
    return { rows, perStream: (during.all - many.all) / OPEN_STREAMS };
  });

const mega = (bytes: number) => number(bytes / 1e6, 0);

export const memory: BenchPart = async ({ world, isQuick, say }) => {
  const plan = isQuick ? quick : full;
  const { rows, perStream } = await measureGrowth(world, plan, say);
  return {
    how: `Nine JSON calls to each stream; WEB_CONCURRENCY=1. An open stream: ${number(perStream / 1e3, 0)} kB.`,
    tables: [
      table(
        ["resident memory", "gateway MB", "all processes MB", "gateway ÷"],
        rows.map(({ what, resident, base }) => [
          what,
          mega(resident.gateway),
          mega(resident.all),
          number(resident.gateway / base.gateway, 2),
        ]),
      ),
    ],
  };
};
