import { type ContenderName, names, titles } from "../contenders/contenders";
import { median } from "../measures/median";
import { allOf, type Cpu } from "../measures/meter";
import { number, table } from "../tables";
import type { LoadFigures } from "../workloads/load";

/** One short run. `cpu`: for each call. */
export type CallRun = LoadFigures & { cpu: Cpu };
/** All runs with one number of connections, by round. */
export type Cell = { connections: number; runs: Map<ContenderName, CallRun[]> };

const runsOf = (cell: Cell, name: ContenderName): CallRun[] => cell.runs.get(name) ?? [];
const raced = (cell: Cell) => names.filter((name) => runsOf(cell, name).length > 0);

/** The median of the ratios, over all rounds, between one server's calls a second and another's in the same round. */
const ratio = (cell: Cell, name: ContenderName, base: ContenderName): number =>
  median(
    runsOf(cell, name).map(
      ({ perSecond }, round) => perSecond / (runsOf(cell, base)[round]?.perSecond ?? Number.NaN),
    ),
  );

/** The time in addition to the upstream's own in the same round, in milliseconds. */
const added = (cell: Cell, name: ContenderName, percentile: "p50" | "p99"): number =>
  median(
    runsOf(cell, name).map(
      (run, round) => run[percentile] - (runsOf(cell, "upstream")[round]?.[percentile] ?? Number.NaN),
    ),
  );

const bases: ContenderName[] = ["portkey", "litellm", "node", "go", "nginx"];

export function callTable(cells: Cell[]): string {
  const head = [
    "connections",
    "server",
    ...bases.map((base) => `calls/s ÷ ${titles[base]}`),
    "CPU µs a call",
    "with PostgreSQL's",
    "added latency p50 ms",
    "p99 ms",
  ];
  const rows = cells.flatMap((cell) =>
    raced(cell).map((name) => {
      const runs = runsOf(cell, name);
      const own = median(runs.map(({ cpu }) => cpu.own));
      const all = median(runs.map(({ cpu }) => allOf(cpu)));
      return [
        String(cell.connections),
        titles[name],
        ...bases.map((base) => number(ratio(cell, name, base), 2)),
        number(own, 0),
        number(all, 0),
        name === "upstream" ? "0" : number(added(cell, name, "p50"), 2),
        name === "upstream" ? "0" : number(added(cell, name, "p99"), 2),
      ];
    }),
  );
  return table(head, rows);
}
