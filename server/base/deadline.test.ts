import { stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { systemTimers } from "./clock";
import { onSilence, withinMs } from "./deadline";

/** Simulates a machine that is busy with other processes. */
function standStill(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; ) {
    // Block the event loop.
  }
}

test("what came while the process stood still is an answer, and what did not come is none", async () => {
  const here = withinMs(stat("."), 20);
  const never = withinMs(new Promise(() => {}), 20);
  standStill(200);
  expect((await here)?.isDirectory()).toBe(true);
  expect(await never).toBeNull();
});

test("a deadline of seconds gives what came while the process stood still the same chance", async () => {
  const order: string[] = [];
  const late = new Promise<void>((resolve) => {
    onSilence(1_000, () => {
      order.push("silence");
      resolve();
    });
  });
  await new Promise((resolve) => systemTimers.after(900, () => resolve(null)));
  const here = stat(".").then(() => order.push("data"));
  standStill(300);
  await Promise.all([here, late]);
  expect(order).toEqual(["data", "silence"]);
});
