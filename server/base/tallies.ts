/**
 * Counters and histograms for each call. prom-client makes a text of all labels for each count, and one of the bucket's
 * bound: the fourteen counts of a call were 3 % of its processor time.
 */
import type { Metric, Registry } from "prom-client";

export type LabelValues<Label extends string> = { [Name in Label]?: string | number | undefined };

type Options<Label extends string> = {
  name: string;
  help: string;
  labelNames?: readonly Label[];
  registers: Registry[];
};

/** One value of a scrape. `metricName`: if it is not the metric's own name. */
type Value = { labels: LabelValues<string>; value: number; metricName?: string };

/** The series under the values of the labels so far. `series`: the one with no further labels. */
type Level<Series> = { below: Map<unknown, Level<Series>>; series: Series | null };

const newLevel = <Series>(): Level<Series> => ({ below: new Map(), series: null });

/** The series of a metric, found by one value after the other. */
class SeriesTree<Label extends string, Series> {
  readonly all: { labels: LabelValues<Label>; series: Series }[] = [];
  private readonly root = newLevel<Series>();
  private readonly labelNames: readonly Label[];
  private readonly make: () => Series;

  constructor(labelNames: readonly Label[], make: () => Series) {
    this.labelNames = labelNames;
    this.make = make;
  }

  /** The series with these labels. A label without a value is left out. */
  at(labels: LabelValues<Label>): Series {
    let level = this.root;
    for (const name of this.labelNames) {
      let next = level.below.get(labels[name]);
      if (next === undefined) {
        next = newLevel();
        level.below.set(labels[name], next);
      }
      level = next;
    }
    level.series ??= this.begin(labels);
    return level.series;
  }

  private begin(labels: LabelValues<Label>): Series {
    const named = this.labelNames.flatMap((name) =>
      labels[name] === undefined ? [] : [[name, labels[name]] as const],
    );
    const series = this.make();
    this.all.push({ labels: Object.fromEntries(named) as LabelValues<Label>, series });
    return series;
  }
}

/** A metric of the registry, by the members that the registry and its other metrics read. */
abstract class Tally {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly aggregator = "sum";
  abstract readonly type: "counter" | "histogram";

  constructor({ name, help, labelNames = [], registers }: Options<string>) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    for (const registry of registers) {
      // The registry calls `get` only; its type names the classes of the library.
      registry.registerMetric(this as unknown as Metric);
    }
  }

  get() {
    const { name, help, type, aggregator } = this;
    return Promise.resolve({ name, help, type, aggregator, values: this.values() });
  }

  protected abstract values(): Value[];
}

export class Counter<Label extends string = never> extends Tally {
  readonly type = "counter";
  private readonly tree: SeriesTree<Label, { value: number }>;

  constructor(options: Options<Label>) {
    super(options);
    const { labelNames = [] } = options;
    this.tree = new SeriesTree(labelNames, () => ({ value: 0 }));
    if (labelNames.length === 0) {
      this.inc({}, 0);
    }
  }

  inc(labels: LabelValues<Label> = {}, count = 1): void {
    this.tree.at(labels).value += count;
  }

  protected values(): Value[] {
    return this.tree.all.map(({ labels, series: { value } }) => ({ labels, value }));
  }
}

/** `counts`: of the values in each bucket and in no lower one; the last are the values above all bounds. */
type Distribution = { sum: number; counts: number[] };

export class Histogram<Label extends string = never> extends Tally {
  readonly type = "histogram";
  private readonly tree: SeriesTree<Label, Distribution>;
  private readonly bounds: readonly number[];

  constructor(options: Options<Label> & { buckets: readonly number[] }) {
    super(options);
    const { labelNames = [], buckets } = options;
    this.bounds = buckets;
    this.tree = new SeriesTree(labelNames, () => ({ sum: 0, counts: [...buckets.map(() => 0), 0] }));
  }

  observe(labels: LabelValues<Label>, value: number): void {
    const { bounds } = this;
    const distribution = this.tree.at(labels);
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) {
      bucket++;
    }
    distribution.sum += value;
    distribution.counts[bucket] = (distribution.counts[bucket] ?? 0) + 1;
  }

  protected values(): Value[] {
    return this.tree.all.flatMap(({ labels, series: { sum, counts } }) => {
      let count = 0;
      const buckets = counts.map((own, index) => {
        count += own;
        const le = this.bounds[index] ?? "+Inf";
        return { labels: { le, ...labels }, value: count, metricName: `${this.name}_bucket` };
      });
      return [
        ...buckets,
        { labels, value: sum, metricName: `${this.name}_sum` },
        { labels, value: count, metricName: `${this.name}_count` },
      ];
    });
  }
}
