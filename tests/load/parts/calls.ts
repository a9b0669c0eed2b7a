import { absentNote, type Contender, meteredContender, names, startField } from "../contenders/contenders";
import { shareOf } from "../measures/meter";
import { turnsOf } from "../measures/turns";
import { type Load, loadJson } from "../workloads/load";
import { type CallRun, type Cell, callTable } from "./calls-report";
import type { Bench, BenchPart } from "./part";

type CallsPlan = { connections: number[]; rounds: number; runMs: number; warmUpMs: number };

/** V8 compiles a server's code for so long: after 6 s a call of ours took 520 µs, after 16 s 370, and then no less. */
const WARM_UP_MS = 16_000;

const quick: CallsPlan = { connections: [1, 8, 32, 128], rounds: 3, runMs: 1_500, warmUpMs: WARM_UP_MS };
const full: CallsPlan = { connections: [1, 8, 32, 128], rounds: 5, runMs: 3_500, warmUpMs: WARM_UP_MS };

async function measure(contender: Contender, databasePid: number | null, load: Load): Promise<CallRun> {
  const run = () => loadJson(contender.target, load);
  const { result, cpu } = await meteredContender(contender, databasePid, run);
  return { ...result, cpu: shareOf(cpu, result.calls) };
}

async function runMatrix(
  { database, say }: Bench,
  contenders: Contender[],
  plan: CallsPlan,
): Promise<Cell[]> {
  for (const contender of contenders) {
    await measure(contender, database.pid, { connections: 32, durationMs: plan.warmUpMs });
  }
  const cells: Cell[] = plan.connections.map((connections) => ({ connections, runs: new Map() }));
  for (let round = 0; round < plan.rounds; round++) {
    say(`Round ${round + 1} of ${plan.rounds}`);
    for (const { connections, runs } of cells) {
      for (const contender of turnsOf(contenders, round)) {
        const run = await measure(contender, database.pid, { connections, durationMs: plan.runMs });
        runs.set(contender.name, [...(runs.get(contender.name) ?? []), run]);
      }
    }
  }
  return cells;
}

export const calls: BenchPart = async (bench) => {
  const plan = bench.isQuick ? quick : full;
  const field = await startField(bench.world, bench.choose(names), bench.say);
  const cells = await runMatrix(bench, field.contenders, plan);
  return {
    how: `${absentNote(field)}Medians of ${plan.rounds} interleaved rounds of ${plan.runMs / 1_000} s.`,
    tables: [callTable(cells)],
  };
};
