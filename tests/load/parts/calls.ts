import { absentNote, type Contender, meteredContender, names, startField } from "../contenders/contenders";
import { shareOf } from "../measures/meter";
import { turnsOf } from "../measures/turns";
import { type Load, loadJson, loadStreams } from "../workloads/load";
import { type Cell, callTable, type Kind, type Run, rangeTable } from "./calls-report";
import type { Bench, Part } from "./part";

type Plan = { connections: number[]; rounds: number; runMs: number; warmUpMs: number };

const plans: Record<Kind, { quick: Plan; full: Plan }> = {
  json: {
    quick: { connections: [1, 8, 32, 128], rounds: 2, runMs: 500, warmUpMs: 1_000 },
    full: { connections: [1, 8, 32, 128], rounds: 5, runMs: 3_500, warmUpMs: 6_000 },
  },
  stream: {
    quick: { connections: [1, 32, 128], rounds: 2, runMs: 500, warmUpMs: 1_000 },
    full: { connections: [1, 32, 128], rounds: 5, runMs: 3_500, warmUpMs: 6_000 },
  },
};

const workloads = { json: loadJson, stream: loadStreams };

async function measure(
  contender: Contender,
  databasePid: number | null,
  { kind, load }: { kind: Kind; load: Load },
): Promise<Run> {
  const run = () => workloads[kind](contender.target, load);
  const { result, cpu } = await meteredContender(contender, databasePid, run);
  return { ...result, cpu: shareOf(cpu, result.calls) };
}

/** The whole matrix; contenders take turns. */
async function runMatrix(
  { database, say }: Bench,
  contenders: Contender[],
  { kind, plan }: { kind: Kind; plan: Plan },
): Promise<Cell[]> {
  for (const contender of contenders) {
    await measure(contender, database.pid, { kind, load: { connections: 32, durationMs: plan.warmUpMs } });
  }
  const cells: Cell[] = plan.connections.map((connections) => ({ connections, runs: new Map() }));
  for (let round = 0; round < plan.rounds; round++) {
    say(`Round ${round + 1} of ${plan.rounds}`);
    for (const { connections, runs } of cells) {
      for (const contender of turnsOf(contenders, round)) {
        const load = { connections, durationMs: plan.runMs };
        const run = await measure(contender, database.pid, { kind, load });
        runs.set(contender.name, [...(runs.get(contender.name) ?? []), run]);
      }
    }
  }
  return cells;
}

const partOf =
  (kind: Kind): Part =>
  async (bench) => {
    const plan = plans[kind][bench.isQuick ? "quick" : "full"];
    const field = await startField(bench.world, bench.choose(names), bench.say);
    try {
      const cells = await runMatrix(bench, field.contenders, { kind, plan });
      return {
        how: `${absentNote(field)}Medians of ${plan.rounds} interleaved rounds of ${plan.runMs / 1_000} s.`,
        tables: [callTable(cells, kind)],
        aside: [rangeTable(cells)],
      };
    } finally {
      await field.stop();
    }
  };

export const calls = partOf("json");
export const shortStreams = partOf("stream");
