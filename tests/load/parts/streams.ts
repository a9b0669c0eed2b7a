import { modelOf } from "../chat";
import {
  absentNote,
  type Contender,
  type ContenderName,
  meteredContender,
  names,
  startField,
  titles,
} from "../contenders/contenders";
import { median } from "../measures/median";
import { allOf, type Cpu, shareOf } from "../measures/meter";
import { turnsOf } from "../measures/turns";
import { number, table } from "../tables";
import { readFlood } from "../workloads/flood";
import { type HeldStreams, holdStreams } from "../workloads/open-streams";
import type { Bench, BenchPart } from "./part";

type StreamsPlan = {
  counts: number[];
  rounds: number;
  settleMs: number;
  windowMs: number;
  floodEvents: number;
};

const quick: StreamsPlan = {
  counts: [100, 500],
  rounds: 1,
  settleMs: 1_500,
  windowMs: 3_000,
  floodEvents: 80_000,
};
const full: StreamsPlan = {
  counts: [100, 500],
  rounds: 5,
  settleMs: 3_000,
  windowMs: 10_000,
  floodEvents: 160_000,
};

type Held = HeldStreams & { streams: number };
/** `flooded`: microseconds per event. */
type Results = Map<ContenderName, { held: Held[]; flooded: Cpu[] }>;

/** Portkey and LiteLLM would add minutes. */
const usual: ContenderName[] = ["upstream", "tollgate", "tollgate-2", "node", "go", "nginx"];

async function flood(contender: Contender, bench: Bench, events: number): Promise<Cpu> {
  const call = { model: modelOf("flood"), events };
  const read = () => readFlood(contender.target, call);
  const { cpu } = await meteredContender(contender, bench.database.pid, read);
  return shareOf(cpu, events);
}

async function runRounds(bench: Bench, contenders: Contender[], plan: StreamsPlan): Promise<Results> {
  const results: Results = new Map(contenders.map(({ name }) => [name, { held: [], flooded: [] }]));
  for (const contender of contenders) {
    await holdStreams(contender.target, { streams: 50, settleMs: 500, windowMs: 1_000 });
    await flood(contender, bench, plan.floodEvents / 4);
  }
  for (let round = 0; round < plan.rounds; round++) {
    bench.say(`Round ${round + 1} of ${plan.rounds}`);
    for (const contender of turnsOf(contenders, round)) {
      const result = results.get(contender.name);
      for (const streams of plan.counts) {
        const held = await holdStreams(contender.target, { streams, ...plan });
        result?.held.push({ ...held, streams });
      }
      result?.flooded.push(await flood(contender, bench, plan.floodEvents));
    }
  }
  return results;
}

function heldTable(results: Results, counts: number[]): string {
  const rows = counts.flatMap((streams) =>
    names.flatMap((name) => {
      const all = results.get(name)?.held.filter((held) => held.streams === streams) ?? [];
      const floor = results.get("node")?.held.filter((held) => held.streams === streams) ?? [];
      const medianOf = (figure: (held: Held) => number, digits = 1) =>
        number(median(all.map(figure)), digits);
      const toFloor = all.map(
        ({ firstEvent }, round) => firstEvent.p50 / (floor[round]?.firstEvent.p50 ?? Number.NaN),
      );
      return all.length === 0
        ? []
        : [
            [
              String(streams),
              titles[name],
              medianOf(({ age }) => age.p50),
              medianOf(({ age }) => age.p99),
              `${medianOf(({ inTimeShare }) => inTimeShare * 100)} %`,
              `${medianOf(({ arrivedShare }) => arrivedShare * 100)} %`,
              medianOf(({ firstEvent }) => firstEvent.p50),
              medianOf(({ firstEvent }) => firstEvent.p99),
              number(median(toFloor), 2),
            ],
          ];
    }),
  );
  const head = ["streams", "server", "age p50 ms", "age p99 ms", "in time", "arrived"];
  return table([...head, "first event p50 ms", "p99 ms", "p50 ÷ Node's floor"], rows);
}

function floodTable(results: Results): string {
  const rows = names.flatMap((name) => {
    const flooded = results.get(name)?.flooded ?? [];
    const own = median(flooded.map((cpu) => cpu.own));
    const all = median(flooded.map(allOf));
    return flooded.length === 0 ? [] : [[titles[name], number(own, 2), number(all, 2)]];
  });
  return table(["one stream flooded", "CPU µs an event", "with PostgreSQL's"], rows);
}

/** The delay of events with 100 and 500 streams at once, and the cost of an event at full speed. */
export const streams: BenchPart = async (bench) => {
  const plan = bench.isQuick ? quick : full;
  const field = await startField(bench.world, bench.choose(usual), bench.say);
  const results = await runRounds(bench, field.contenders, plan);
  return {
    how: `${absentNote(field)}Medians of ${plan.rounds} interleaved rounds; windows of ${plan.windowMs / 1_000} s, ${plan.settleMs / 1_000} s after the streams were opened; floods of ${plan.floodEvents} events.`,
    tables: [heldTable(results, plan.counts), floodTable(results)],
  };
};
