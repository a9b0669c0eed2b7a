/** A server under traffic with constant faults: it charges to the cent and does not grow. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { median } from "@/tests/load/measures/median";
import { startOutageWorld } from "@/tests/support/outage-world";
import { type Outage, outages } from "@/tests/support/outages";
import { perFile } from "@/tests/support/per-file";
import { randomFrom } from "@/tests/support/random";
import { callOnce, startTraffic } from "@/tests/support/traffic";

const MINUTES = Number(process.env.SOAK_MINUTES ?? 0.5);
const SEED = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const CALLS_A_SECOND = 20;
const MEGABYTE = 1024 * 1024;
/**
 * Limits in MB for growth from the second third of the faults to the last, by medians, after all garbage is collected:
 * for live memory, and for resident memory, which grows for minutes by memory that V8 does not return.
 */
const ALIVE_GROWS_BY = 15;
const RESIDENT_GROWS_BY = MINUTES >= 10 ? 100 : 200;

const world = perFile(() => startOutageWorld(true));

test(`${MINUTES} minutes of faults at random, seed ${SEED}`, {
  timeout: (MINUTES + 10) * 60_000,
}, async () => {
  const random = randomFrom(SEED);
  const kinds = [...outages.ground(true), ...outages.traffic(true)].filter(
    ({ needs }) => needs?.(world) !== false,
  );
  const traffic = startTraffic(world.target(), CALLS_A_SECOND);
  let began = performance.now();
  const minutes = () => (performance.now() - began) / 60_000;
  const memory: { alive: number; resident: number }[] = [];
  let faults = 0;
  const passThrough = async (outage: Outage | undefined) => {
    const undo = await outage?.prepare?.(world);
    await outage?.begin(world);
    await sleep(500 + random() * 4_000);
    await outage?.end(world);
    await undo?.();
    faults++;
  };
  try {
    // V8 keeps the memory that these needed: it would seem to grow in the third of the run with the first of them.
    for (const large of kinds.filter(({ name }) => / MB /.test(name))) {
      await passThrough(large);
    }
    began = performance.now();
    while (minutes() < MINUTES) {
      await passThrough(kinds[Math.floor(random() * kinds.length)]);
      memory.push({ alive: await world.alive(), resident: world.resident() });
      await sleep(1_000 + random() * 3_000);
    }
    await traffic.untilWell(performance.now(), { forMs: 2_000, withinMs: 60_000 });
  } finally {
    await traffic.stop();
  }
  const calls = await traffic.stop();
  const well = calls.filter(({ isWhole }) => isWhole).length;
  const third = (kind: "alive" | "resident", index: number) => {
    const [from, to] = [index, index + 1].map((each) => Math.floor((each * memory.length) / 3));
    return median(memory.slice(from, to).map((sample) => sample[kind] / MEGABYTE));
  };
  const say = (kind: "alive" | "resident") =>
    `${third(kind, 1).toFixed(0)} MB ${kind} in the second third, ${third(kind, 2).toFixed(0)} in the last`;
  console.log(
    `soak: seed ${SEED}, ${MINUTES} minutes, ${faults} faults, ${calls.length} calls, ${well} well, ` +
      `${say("alive")}; ${say("resident")}`,
  );
  await world.expectPaid(calls);
  await world.expectNothingFrozen();
  expect(third("alive", 2) - third("alive", 1), "what is alive").toBeLessThan(ALIVE_GROWS_BY);
  expect(third("resident", 2) - third("resident", 1), "what is resident").toBeLessThan(RESIDENT_GROWS_BY);
  expect(await callOnce(world.target(), false)).toMatchObject({ isWhole: true });
});
