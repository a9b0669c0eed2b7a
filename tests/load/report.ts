import { median } from "./median";
import type { MemoryReport } from "./memory";
import type { Cost } from "./profile";
import { number, table } from "./tables";
import { type Candidate, type Cell, candidates, type Run } from "./throughput";

const titles: Record<Candidate, string> = {
  upstream: "upstream alone",
  gateway: "Tollgate",
  "without ledger": "Tollgate, no-op ledger",
  portkey: "Portkey",
};

const runsOf = (cell: Cell, name: Candidate): Run[] => cell.runs.get(name) ?? [];
const raced = (cell: Cell) => candidates.filter((name) => runsOf(cell, name).length > 0);

/** The median over the rounds of one server's value over another's in the same round. */
function ratio(cell: Cell, pair: [Candidate, Candidate], value: (run: Run, alone: Run) => number): number {
  const alone = runsOf(cell, "upstream");
  const [left, right] = pair.map((name) =>
    runsOf(cell, name).flatMap((run, round) => {
      const bare = alone[round];
      return bare ? [value(run, bare)] : [];
    }),
  );
  return median((left ?? []).map((numerator, round) => numerator / (right?.[round] ?? Number.NaN)));
}

const rate = (run: Run) => run.perSecond;
const cpu = (run: Run) => run.cpuMicros ?? Number.NaN;
const addedMedian = (run: Run, alone: Run) => run.p50 - alone.p50;
const addedTail = (run: Run, alone: Run) => run.p99 - alone.p99;

/** The ratios of one kind of call, one row a server and number of connections. */
export function ratioTable(cells: Cell[]): string {
  const isStream = cells[0]?.kind === "stream";
  const [calls, latency] = isStream ? ["streams/s", "time to first token"] : ["requests/s", "latency"];
  const head = [
    "connections",
    "server",
    `${calls} ÷ Portkey`,
    `${calls} ÷ upstream`,
    "CPU a call ÷ Portkey",
    `added ${latency} p50 ÷ Portkey`,
    `p99 ÷ Portkey`,
  ];
  const rows = cells.flatMap((cell) =>
    raced(cell).map((name) => {
      const isAlone = name === "upstream";
      return [
        String(cell.connections),
        titles[name],
        number(ratio(cell, [name, "portkey"], rate), 2),
        number(ratio(cell, [name, "upstream"], rate), 2),
        number(ratio(cell, [name, "portkey"], cpu), 2),
        isAlone ? "0" : number(ratio(cell, [name, "portkey"], addedMedian), 2),
        isAlone ? "0" : number(ratio(cell, [name, "portkey"], addedTail), 2),
      ];
    }),
  );
  return table(head, rows);
}

/** What was measured on this machine, for the eye; documents get the ratios. */
export function absoluteTable(cells: Cell[]): string {
  const rows = cells.flatMap((cell) =>
    raced(cell).map((name) => {
      const runs = runsOf(cell, name);
      const alone = runsOf(cell, "upstream");
      const added = (percentile: "p50" | "p99") =>
        median(runs.map((run, round) => run[percentile] - (alone[round]?.[percentile] ?? Number.NaN)));
      const rates = runs.map(rate);
      return [
        `${cell.kind} ${cell.connections}`,
        titles[name],
        number(median(rates), 0),
        `${number(Math.min(...rates), 0)}-${number(Math.max(...rates), 0)}`,
        number(median(runs.map(cpu)), 0),
        number(added("p50"), 2),
        number(added("p99"), 2),
      ];
    }),
  );
  const head = ["calls", "server", "per second", "range", "CPU µs a call", "added p50 ms", "added p99 ms"];
  return table(head, rows);
}

const mega = (bytes: number) => number(bytes / 2 ** 20, 0);

export function memoryTable(
  { few, many, peaks }: MemoryReport,
  calls: { few: number; many: number },
): string {
  const base = new Map(peaks.toReversed().map((peak) => [peak.reader, peak.peakBytes]));
  return table(
    ["gateway, ledger on", "resident MB", "ratio"],
    [
      [`after ${calls.few} calls`, mega(few.rssBytes), "1.00"],
      [`after ${calls.many} calls`, mega(many.rssBytes), number(many.rssBytes / few.rssBytes, 2)],
      [`heap in use after ${calls.few}`, mega(few.heapBytes), "1.00"],
      [`heap in use after ${calls.many}`, mega(many.heapBytes), number(many.heapBytes / few.heapBytes, 2)],
      ...peaks.map(({ events, reader, peakBytes }) => [
        `peak, one stream of ${events} events, ${reader} reader`,
        mega(peakBytes),
        number(peakBytes / (base.get(reader) ?? Number.NaN), 2),
      ]),
    ],
  );
}

export function costTable(costs: Cost[], by: "self" | "total", limit: number): string {
  const rows = costs
    .toSorted((left, right) => right[by] - left[by])
    .slice(0, limit)
    .map(({ where, self, total }) => [where, number(self * 100, 1), number(total * 100, 1)]);
  return table(["function", "self %", "total %"], rows);
}
