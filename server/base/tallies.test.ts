import fc from "fast-check";
import {
  AggregatorRegistry,
  Counter as LibraryCounter,
  Histogram as LibraryHistogram,
  Registry,
} from "prom-client";
import { expect, test } from "vitest";
import { Counter, Histogram } from "./tallies";

const labels = fc.record({
  model: fc.constantFrom("a", "b", 'quo"ted\n'),
  status: fc.option(fc.constantFrom(200, 404), { nil: undefined }),
});
const counts = fc.array(fc.tuple(labels, fc.constantFrom(0, 0.01, 0.02, 0.5, 1, 3, 1_000)), {
  maxLength: 40,
});

/** The text of a registry after these counts, and that of two processes which both have them. */
async function measured(
  made: { Counter: typeof Counter; Histogram: typeof Histogram },
  all: [{ model: string; status: number | undefined }, number][],
) {
  const registry = new Registry();
  const registers = [registry];
  const options = { registers, help: "Help.", labelNames: ["model", "status"] as const };
  const counter = new made.Counter({ ...options, name: "calls_total" });
  const plain = new made.Counter({ registers, help: "Help.", name: "plain_total" });
  const histogram = new made.Histogram({ ...options, name: "seconds", buckets: [0.01, 0.5, 1] });
  for (const [{ model, status }, count] of all) {
    const named = status === undefined ? { model } : { model, status };
    counter.inc(named, count);
    histogram.observe(named, count);
    plain.inc();
  }
  const own = JSON.parse(JSON.stringify(await registry.getMetricsAsJSON()));
  return { text: await registry.metrics(), merged: await AggregatorRegistry.aggregate([own, own]).metrics() };
}

test("a scrape has the text that it has with prom-client's own metrics, of one process and of two", async () => {
  const library = { Counter: LibraryCounter, Histogram: LibraryHistogram } as unknown as {
    Counter: typeof Counter;
    Histogram: typeof Histogram;
  };
  await fc.assert(
    fc.asyncProperty(counts, async (all) => {
      const [ours, theirs] = [await measured({ Counter, Histogram }, all), await measured(library, all)];
      expect(ours).toEqual(theirs);
    }),
  );
});
