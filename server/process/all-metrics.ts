import { AggregatorRegistry } from "prom-client";
import type { Measured } from "./messages";

/** The metrics of all processes of a server as those of one. */
export type AllMetrics = {
  /** What a process has measured by now. */
  note: (name: string, measured: Measured) => void;
  /** It has ended. What it has counted stays: a sum that falls would look like one that began anew, and rose. */
  end: (name: string) => void;
  residentBytes: () => { process: string; bytes: number }[];
  text: () => Promise<string>;
};

/** Not of JSON are the numbers that nothing was measured for. */
const finite = (measured: Measured): Measured =>
  measured.map((metric) => ({
    ...metric,
    values: metric.values.filter(({ value }) => typeof value === "number"),
  }));

/** Those that the first process tells of are not the others' to tell. */
function withoutRepeats(all: Measured[]): Measured[] {
  const told = new Set<string>();
  return all.map((measured) =>
    measured.filter(({ name, aggregator }) => {
      const isTold = aggregator === "first" && told.has(name);
      told.add(name);
      return !isTold;
    }),
  );
}

const isCounted = ({ type }: Measured[number]) => type === "counter" || type === "histogram";

/** prom-client's aggregate is a registry of what it has summed; its types do not say so. */
const summed = (all: Measured[]): Measured =>
  AggregatorRegistry.aggregate(all).getMetricsAsArray() as unknown as Measured;

/** `first`: who tells what is the same for all. */
export function createAllMetrics(first: string): AllMetrics {
  const last = new Map<string, Measured>();
  let ended: Measured = [];
  return {
    note: (name, measured) => void last.set(name, finite(measured)),
    end: (name) => {
      ended = summed([ended, (last.get(name) ?? []).filter(isCounted)]);
      last.delete(name);
    },
    residentBytes: () =>
      [...last].flatMap(([process, measured]) => {
        const bytes = measured.find(({ name }) => name === "process_resident_memory_bytes")?.values[0]?.value;
        return typeof bytes === "number" ? { process, bytes } : [];
      }),
    text: async () => {
      const others = [...last].filter(([name]) => name !== first).map(([, measured]) => measured);
      return await AggregatorRegistry.aggregate(
        withoutRepeats([last.get(first) ?? [], ...others, ended]),
      ).metrics();
    },
  };
}
