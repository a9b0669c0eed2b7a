import { setTimeout as sleep } from "node:timers/promises";
import { type Contender, startOne, titles } from "../contenders/contenders";
import type { Committed } from "../measures/database";
import { median } from "../measures/median";
import { type Cpu, metered } from "../measures/meter";
import { number, table } from "../tables";
import { loadJson } from "../workloads/load";
import { callOnce } from "../workloads/one-call";
import type { LoadTarget } from "../workloads/read-stream";
import type { Bench, BenchPart } from "./part";

type MoneyPlan = { connections: number[]; runMs: number; quietMs: number };

const quick: MoneyPlan = { connections: [1, 128], runMs: 3_000, quietMs: 70_000 };
const full: MoneyPlan = { connections: [1, 128], runMs: 20_000, quietMs: 600_000 };

type WriteFigures = { connections: number; calls: number; commits: number; walBytes: number; cpu: Cpu };

/** In milliseconds. */
type Rested = { who: string; first: number; warm: number };

/** Servers that rest at the same time, so that one quiet time gives more than one first call. */
const RESTING = 3;
const WARM_CALLS = 50;

/** Commits between two moments, minus those of an idle time of the same length. */
function commitsOfCalls(
  before: Committed,
  after: Committed,
  idle: { from: Committed; to: Committed },
): number {
  const perMs = (idle.to.commits - idle.from.commits) / (idle.to.at - idle.from.at);
  return after.commits - before.commits - perMs * (after.at - before.at);
}

async function measureWriting(
  { database }: Bench,
  { server, target }: Contender,
  plan: MoneyPlan,
): Promise<WriteFigures[]> {
  const idle = { from: await database.committed(), to: await database.committed() };
  const pids = { own: server.pid, database: database.pid };
  const written: WriteFigures[] = [];
  let before = idle.to;
  for (const connections of plan.connections) {
    const walBefore = await database.walBytes();
    const run = () => loadJson(target, { connections, durationMs: plan.runMs });
    const { result, cpu } = await metered(pids, run);
    const walBytes = (await database.walBytes()) - walBefore;
    const after = await database.committed();
    const commits = commitsOfCalls(before, after, idle);
    written.push({ connections, calls: result.calls, commits, walBytes, cpu });
    before = after;
  }
  return written;
}

async function firstAfterRest(who: string, targets: LoadTarget[]): Promise<Rested> {
  const rested: { first: number; warm: number }[] = [];
  for (const target of targets) {
    const first = await callOnce(target);
    const warm: number[] = [];
    for (let call = 0; call < WARM_CALLS; call++) {
      warm.push(await callOnce(target));
    }
    rested.push({ first, warm: median(warm.slice(WARM_CALLS / 2)) });
  }
  return {
    who,
    first: median(rested.map(({ first }) => first)),
    warm: median(rested.map(({ warm }) => warm)),
  };
}

function writtenTable(written: WriteFigures[]): string {
  const rows = written.map(({ connections, calls, commits, walBytes, cpu }) => [
    String(connections),
    number(commits / calls, 3),
    number(walBytes / calls / 1_000, 2),
    number(cpu.own / calls, 0),
    number(cpu.database / calls, 0),
  ]);
  return table(["connections", "commits a call", "WAL kB a call", "CPU µs a call", "PostgreSQL's"], rows);
}

const restedTable = (rested: Rested[]) =>
  table(
    ["first call after quiet", "first ms", "warm ms", "first ÷ warm"],
    rested.map(({ who, first, warm }) => [who, number(first, 2), number(warm, 2), number(first / warm, 1)]),
  );

/** The writes of a charge, and the wait of the first call after a rest. */
export const money: BenchPart = async (bench) => {
  const { world, say, isQuick } = bench;
  const plan = isQuick ? quick : full;
  const servers: Contender[] = [];
  say("What calls write");
  const first = await startOne(world, "tollgate");
  servers.push(first);
  await loadJson(first.target, { connections: 32, amount: 1_000 });
  const written = await measureWriting(bench, first, plan);
  // Only now, because idle servers write, too.
  while (servers.length < RESTING) {
    servers.push(await startOne(world, "tollgate"));
  }
  for (const { target } of servers) {
    await loadJson(target, { connections: 32, amount: 1_000 });
    await loadJson(target, { connections: 1, amount: 200 });
  }
  say(`Quiet for ${plan.quietMs / 1_000} s`);
  await sleep(plan.quietMs);
  const targets = servers.map(({ target }) => target);
  const alone = { url: world.upstream.url, headers: {} };
  const rested = [
    await firstAfterRest(titles.upstream, [alone]),
    await firstAfterRest(titles.tollgate, targets),
  ];
  return {
    how: `Runs of ${plan.runMs / 1_000} s; then ${plan.quietMs / 1_000} s without a call, for ${RESTING} servers side by side (medians of them).`,
    tables: [writtenTable(written), restedTable(rested)],
  };
};
