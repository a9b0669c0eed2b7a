import { stat } from "node:fs/promises";
import { expect, test } from "vitest";
import { withinMs } from "./deadline";

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
