import { startNginx } from "../contenders/nginx";
import { median } from "../measures/median";
import { turnsOf } from "../measures/turns";
import type { Server } from "../processes";
import { number, table } from "../tables";
import { loadJson } from "../workloads/load";
import type { BenchPart } from "./part";

const REPLICAS = 2;
const COLD_ACCOUNTS = 1_000;

type ReplicasPlan = { rounds: number; runMs: number; connections: number[] };
const quick: ReplicasPlan = { rounds: 3, runMs: 2_000, connections: [32, 128] };
const full: ReplicasPlan = { rounds: 7, runMs: 8_000, connections: [32, 128] };

const crowds = { hot: "one account's", cold: "a thousand accounts'" };
type Crowd = keyof typeof crowds;

/** The same load on one replica and on two, each behind nginx; calls a second by round. */
type Cell = { connections: number; crowd: Crowd; one: number[]; two: number[] };

type ReplicaSetup = {
  fronts: Record<"one" | "two", Server>;
  secrets: Record<Crowd, string[]>;
  plan: ReplicasPlan;
};

/** Returns the cells, and the number of all calls. */
async function runCells({ fronts, secrets, plan }: ReplicaSetup, say: (line: string) => void) {
  let calls = 0;
  const run = async (front: Server, crowd: Crowd, load: Parameters<typeof loadJson>[1]) => {
    const measured = await loadJson({ url: front.url, headers: {}, secrets: secrets[crowd] }, load);
    calls += measured.calls;
    return measured.perSecond;
  };
  for (const crowd of ["hot", "cold"] as const) {
    // After this both replicas have cached every key, and every account has a row of the month.
    await run(fronts.two, crowd, { connections: 128, amount: COLD_ACCOUNTS * 4 });
  }
  const cells = plan.connections.flatMap((connections) =>
    (["hot", "cold"] as const).map((crowd): Cell => ({ connections, crowd, one: [], two: [] })),
  );
  for (let round = 0; round < plan.rounds; round++) {
    say(`Round ${round + 1} of ${plan.rounds}`);
    for (const cell of cells) {
      for (const count of turnsOf(["one", "two"] as const, round)) {
        const load = { connections: cell.connections, durationMs: plan.runMs };
        cell[count].push(await run(fronts[count], cell.crowd, load));
      }
    }
  }
  return { cells, calls };
}

/**
 * Replicas of one process each on one PostgreSQL, behind nginx: the gain of a second one, and whether money adds up.
 */
export const replicas: BenchPart = async ({ world, isQuick, say }) => {
  const plan = isQuick ? quick : full;
  say(`Making ${COLD_ACCOUNTS} accounts`);
  const secrets = { hot: [world.secret], cold: await world.addCustomers(COLD_ACCOUNTS) };
  const urls: string[] = [];
  while (urls.length < REPLICAS) {
    urls.push((await world.startTollgate({ place: "all cores" })).url);
  }
  const fronts = {
    one: await startNginx(urls.slice(0, 1), "all cores"),
    two: await startNginx(urls, "all cores"),
  };
  const { cells, calls } = await runCells({ fronts, secrets, plan }, say);
  await world.expectCharged(calls);
  const rows = cells.map(({ connections, crowd, one, two }) => [
    String(connections),
    crowds[crowd],
    number(median(one), 0),
    number(median(two), 0),
    number(median(two.map((rate, round) => rate / (one[round] ?? Number.NaN))), 2),
  ]);
  return {
    how: `Replicas of one process each behind nginx (least connections), on all cores; medians of ${plan.rounds} interleaved rounds of ${plan.runMs / 1_000} s. Afterwards each of ${calls} calls was charged once and alike, and \`ledger verify\` found nothing.`,
    tables: [table(["connections", "calls", "one, calls/s", "two, calls/s", "two ÷ one"], rows)],
  };
};
