import fc from "fast-check";
import { expect, test } from "vitest";
import { createSpeeds } from "./speeds";

const measures = fc.array(fc.record({ ms: fc.integer({ min: 1, max: 60_000 }), afterMs: fc.nat(120_000) }), {
  minLength: 1,
});

test("a speed lies between the measured times, with the greatest weight on the newest", () => {
  fc.assert(
    fc.property(measures, (measured) => {
      let now = 0;
      const speeds = createSpeeds(() => now);
      for (const { ms, afterMs } of measured) {
        now += afterMs;
        speeds.note("way", ms);
      }
      const all = measured.map(({ ms }) => ms);
      const { ms = -1, at = -1 } = speeds.speedOf("way") ?? {};
      expect(ms).toBeGreaterThanOrEqual(Math.min(...all) - 1e-6);
      expect(ms).toBeLessThanOrEqual(Math.max(...all) + 1e-6);
      expect(at).toBe(now);
    }),
  );
});

test("a channel that was slow for an hour counts as fast some minutes after it recovered", () => {
  let now = 0;
  const speeds = createSpeeds(() => now);
  for (; now < 3_600_000; now += 1_000) {
    speeds.note("way", 5_000);
  }
  // The recovered channel gets only one call in twenty.
  for (const until = now + 300_000; now < until; now += 20_000) {
    speeds.note("way", 100);
  }
  expect(speeds.speedOf("way")?.ms).toBeLessThan(500);
});

test("a speed that was measured a quarter of an hour ago is forgotten", () => {
  let now = 0;
  const speeds = createSpeeds(() => now);
  speeds.note("way", 100);
  expect(speeds.speedOf("other")).toBeNull();
  now = 14 * 60_000;
  expect(speeds.speedOf("way")?.ms).toBe(100);
  now = 15 * 60_000;
  expect(speeds.speedOf("way")).toBeNull();
});
