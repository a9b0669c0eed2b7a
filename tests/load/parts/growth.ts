import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { verifySlices } from "@/server/billing";
import { type Database, patient } from "@/server/db";
import { currentPeriod } from "@/server/domain/period";
import { type Contender, startOne } from "../contenders/contenders";
import { median } from "../measures/median";
import { allOf, type Cpu, metered, shareOf } from "../measures/meter";
import { number, table } from "../tables";
import { loadJson } from "../workloads/load";
import { addCrowd, addYears, ledgerBytes } from "../workloads/years";
import type { Bench, BenchPart } from "./part";

type GrowthPlan = { entries: number[]; rounds: number; calls: Record<number, number> };

const quick: GrowthPlan = { entries: [1_000_000], rounds: 3, calls: { 1: 300, 128: 4_000 } };
const full: GrowthPlan = {
  entries: [2_000_000, 20_000_000, 100_000_000],
  rounds: 5,
  calls: { 1: 1_000, 128: 20_000 },
};

/** With its indexes, and the other rows that are written meanwhile. */
const BYTES_AN_ENTRY = 700;

/** The sizes for which the disk has room, and a text about the others. */
async function roomFor(sizes: number[]): Promise<{ entries: number[]; without: string }> {
  const { bavail, bsize } = await statfs(tmpdir());
  const hasRoom = (size: number) => size * BYTES_AN_ENTRY < bavail * bsize;
  const without = sizes.filter((size) => !hasRoom(size)).map((size) => size.toLocaleString("en"));
  return {
    entries: sizes.filter(hasRoom),
    without: without.length === 0 ? "" : ` No room on this disk for ${without.join(", ")} entries.`,
  };
}

/** For each number of connections: the processor time of the whole server and PostgreSQL, in microseconds a call. */
async function costs({ database }: Bench, { server, target }: Contender, plan: GrowthPlan): Promise<Cpu[]> {
  const pids = { own: server.pid, database: database.pid };
  const measured: Cpu[] = [];
  for (const [connections, amount] of Object.entries(plan.calls)) {
    const load = { connections: Number(connections), amount };
    await loadJson(target, load);
    const rounds: Cpu[] = [];
    for (let round = 0; round < plan.rounds; round++) {
      const { cpu } = await metered(pids, () => loadJson(target, load));
      rounds.push(shareOf(cpu, amount));
    }
    measured.push({
      own: median(rounds.map(({ own }) => own)),
      database: median(rounds.map((each) => each.database)),
    });
  }
  return measured;
}

/** Verifies the current month. Returns the number of entries and the seconds. */
async function verified(db: Database, period: string): Promise<string[]> {
  const began = performance.now();
  let entries = 0;
  for await (const slice of verifySlices(patient(db), { periods: [period], atOnce: 2 })) {
    if (slice.drift.length > 0) {
      throw new Error(`the books of ${period} are not right: ${slice.drift[0]?.figure}`);
    }
    entries += slice.entries;
  }
  const seconds = (performance.now() - began) / 1_000;
  const bytes = await ledgerBytes(db, period);
  return [number(entries, 0), number(seconds, 1), number(entries / seconds, 0), number(bytes / entries, 0)];
}

/** The cost of a call when the ledger has grown, and the time of its verification. */
export const growth: BenchPart = async (bench) => {
  const { world, say, isQuick } = bench;
  const plan = isQuick ? quick : full;
  const period = currentPeriod("UTC", new Date());
  const { db } = world;
  const contender = await startOne(world, "tollgate");
  const rows: string[][] = [];
  const verifications: string[][] = [];
  const { entries: sizes, without } = await roomFor(plan.entries);
  let first: Cpu[] | undefined;
  const measure = async (what: string) => {
    say(what);
    // Until the server's own code is compiled: V8 drops the compiled code of functions that have not run for minutes.
    await loadJson(contender.target, { connections: 32, amount: 5 * (plan.calls[128] ?? 0) });
    const measured = await costs(bench, contender, plan);
    first ??= measured;
    const ratios = measured.flatMap((cost, index) => {
      const before = first?.[index] ?? cost;
      return [number(cost.own, 0), number(cost.database, 0), number(allOf(cost) / allOf(before), 2)];
    });
    rows.push([what, ...ratios]);
  };
  await measure("an empty ledger");
  await addYears(db, { period, before: 0, entries: 0 });
  await addCrowd(db, { keys: 100_000, models: 10_000 });
  await measure("100,000 keys and 10,000 models");
  let before = 0;
  for (const entries of sizes) {
    const what = `${entries.toLocaleString("en")} entries`;
    say(`Adding up to ${what}`);
    await addYears(db, { period, before, entries });
    before = entries;
    await measure(what);
    verifications.push([what, ...(await verified(db, period))]);
  }
  const head = Object.keys(plan.calls).flatMap((connections) => [
    `at ${connections}: CPU µs a call`,
    "PostgreSQL's",
    "both ÷ empty",
  ]);
  return {
    how: `Medians of ${plan.rounds} runs one after the other; half of the entries are of the month under way.${without}`,
    tables: [
      table(["with", ...head], rows),
      table(
        ["verifying the month under way", "entries read", "seconds", "entries/s", "bytes an entry"],
        verifications,
      ),
    ],
  };
};
