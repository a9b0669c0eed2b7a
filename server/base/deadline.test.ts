import { stat } from "node:fs/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { systemTimers } from "./clock";
import { onSilence, withinMs } from "./deadline";

/** Simulates a machine that is busy with other processes. */
function standStill(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; ) {
    // Block the event loop.
  }
}

test("a result that came while the process stood still counts, and a missing one does not", async () => {
  const statistics = withinMs(stat("."), 20);
  const endless = withinMs(new Promise(() => {}), 20);
  standStill(200);
  expect((await statistics)?.isDirectory()).toBe(true);
  expect(await endless).toBeNull();
});

test("a deadline of seconds also lets data that came while the process stood still come first", async () => {
  const order: string[] = [];
  const late = new Promise<void>((resolve) => {
    onSilence(1_000, () => {
      order.push("silence");
      resolve();
    });
  });
  await new Promise((resolve) => systemTimers.after(900, () => resolve(null)));
  const statistics = stat(".").then(() => order.push("data"));
  standStill(300);
  await Promise.all([statistics, late]);
  expect(order).toEqual(["data", "silence"]);
});

test("a deadline still passes if a test faked the timers during a tick of the wheel", async () => {
  const passed = (ms: number) => new Promise<void>((resolve) => void onSilence(ms, resolve));
  const first = passed(1_000);
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  onTestFinished(() => void vi.useRealTimers());
  await first;
  vi.useRealTimers();
  await passed(1_000);
});
