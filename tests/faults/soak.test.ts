/** A server under traffic to which something happens all the time: paid to the cent, and no larger in the end. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { median } from "@/tests/load/measures/median";
import { startOutageWorld } from "@/tests/support/outage-world";
import { outages } from "@/tests/support/outages";
import { perFile } from "@/tests/support/per-file";
import { callOnce, startTraffic } from "@/tests/support/traffic";

const MINUTES = Number(process.env.SOAK_MINUTES ?? 0.5);
const SEED = Number(process.env.SOAK_SEED ?? Math.floor(Math.random() * 2 ** 31));
const CALLS_A_SECOND = 20;
const MEGABYTE = 1024 * 1024;
const SAMPLED_EVERY_MS = 250;
/** From the second third to the last, by their medians. V8's young generation is full after minutes: 128 of them. */
const GROWS_BY_MEGABYTES = MINUTES >= 10 ? 100 : 300;

const world = perFile(startOutageWorld);

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

test(`${MINUTES} minutes of faults at random, seed ${SEED}`, {
  timeout: (MINUTES + 10) * 60_000,
}, async () => {
  const random = randomFrom(SEED);
  const kinds = outages(true);
  const traffic = startTraffic(world.target(), CALLS_A_SECOND);
  const began = performance.now();
  const minutes = () => (performance.now() - began) / 60_000;
  const sizes: number[] = [];
  // By the clock: how many faults there is time for is the machine's to say.
  const sampling = setInterval(() => sizes.push(world.resident() / MEGABYTE), SAMPLED_EVERY_MS);
  let faults = 0;
  try {
    while (minutes() < MINUTES) {
      const outage = kinds[Math.floor(random() * kinds.length)];
      await outage?.begin(world);
      await sleep(500 + random() * 4_000);
      await outage?.end(world);
      faults++;
      await sleep(1_000 + random() * 3_000);
    }
    await traffic.untilWell(performance.now(), { forMs: 2_000, withinMs: 60_000 });
  } finally {
    clearInterval(sampling);
    await traffic.stop();
  }
  const seen = await traffic.stop();
  const well = seen.filter(({ isWhole }) => isWhole).length;
  const third = (index: number) =>
    median(sizes.slice(Math.floor((index * sizes.length) / 3), Math.ceil(((index + 1) * sizes.length) / 3)));
  const [warm, last] = [third(1), third(2)];
  console.log(
    `soak: seed ${SEED}, ${MINUTES} minutes, ${faults} faults, ${seen.length} calls, ${well} well, ` +
      `${warm.toFixed(0)} MB in the second third, ${last.toFixed(0)} in the last`,
  );
  await world.expectPaid(seen);
  await world.expectNothingFrozen();
  expect(last - warm, "memory").toBeLessThan(GROWS_BY_MEGABYTES);
  expect(await callOnce(world.target(), false)).toMatchObject({ isWhole: true });
});
