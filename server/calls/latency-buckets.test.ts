import fc from "fast-check";
import { expect, test } from "vitest";
import { bucketOf, FAILED, medianOf, UNTIMED } from "./latency-buckets";

function counted(latencies: number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const bucket of latencies.map(bucketOf)) {
    counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
  }
  return counts;
}

test("the median of buckets is within a bucket's width of the median of the latencies", () => {
  const latencies = fc.array(fc.integer({ min: 10, max: 600_000 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(latencies, (all) => {
      const exact = all.toSorted((a, b) => a - b)[Math.ceil(all.length / 2) - 1] ?? 0;
      const median = medianOf(counted(all)) ?? 0;
      // Both are in one bucket, and the median is rounded: of 10 and 13 ms, 12.5 is printed as 13.
      expect(Math.abs(median - exact)).toBeLessThanOrEqual(0.25 * exact + 0.5);
    }),
  );
});

test("failed and untimed calls have no part in the median, and alone have none", () => {
  const others: [number, number][] = [
    [FAILED, 900],
    [UNTIMED, 900],
  ];
  expect(medianOf(new Map(others))).toBeNull();
  expect(medianOf(new Map([...others, ...counted([500])]))).toBe(medianOf(counted([500])));
});

test("latencies beyond both ends are in the first and the last bucket", () => {
  expect(bucketOf(0)).toBe(1);
  expect(bucketOf(9)).toBe(1);
  expect(bucketOf(3_600_000)).toBe(50);
});
