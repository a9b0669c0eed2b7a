import { AggregatorRegistry } from "prom-client";
import type { ProcessMetrics } from "./messages";

/** The metrics of a server's processes, merged as if they were one. */
export type AllMetrics = {
  /** Records the latest measurements of a process. */
  note: (name: string, measured: ProcessMetrics) => void;
  /**
   * A process has ended. Its counts stay in the sum: a falling sum would look like a counter that restarted and rose.
   */
  end: (name: string) => void;
  residentBytes: () => { process: string; bytes: number }[];
  text: () => Promise<string>;
};

/** Drops values without a measurement, which are not numbers in JSON. */
const finite = (measured: ProcessMetrics): ProcessMetrics =>
  measured.map((metric) => ({
    ...metric,
    values: metric.values.filter(({ value }) => typeof value === "number"),
  }));

/** Keeps a metric with the aggregator `first` only from the first process that reports it. */
function withoutRepeats(all: ProcessMetrics[]): ProcessMetrics[] {
  const names = new Set<string>();
  return all.map((measured) =>
    measured.filter(({ name, aggregator }) => {
      const isTold = aggregator === "first" && names.has(name);
      names.add(name);
      return !isTold;
    }),
  );
}

const isCounted = ({ type }: ProcessMetrics[number]) => type === "counter" || type === "histogram";

/** prom-client's aggregate is a registry of the sums; its types do not say so. */
const summed = (all: ProcessMetrics[]): ProcessMetrics =>
  AggregatorRegistry.aggregate(all).getMetricsAsArray() as unknown as ProcessMetrics;

/** `first`: the process that reports metrics that are equal in all processes. */
export function createAllMetrics(first: string): AllMetrics {
  const last = new Map<string, ProcessMetrics>();
  let ended: ProcessMetrics = [];
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
