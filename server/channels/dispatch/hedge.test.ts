import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Cancellation, CancellationSource } from "@/server/base/cancellation";
import { virtualTimers } from "@/tests/support/virtual-clock";
import { hedged, OUTRUN } from "./hedge";

type Plot = { name: string; afterMs: number; end: "done" | "none" | "throws" };

/** A try that ends as planned, unless it is cancelled first. */
function tries(plots: readonly Plot[]) {
  const timers = virtualTimers();
  const log: string[] = [];
  let begun = 0;
  const begin = async (cancellation: Cancellation) => {
    const { name, afterMs, end } = plots[begun++] ?? { name: "none left", afterMs: 0, end: "none" };
    log.push(`${name} begins`);
    await new Promise<void>((resolve, reject) => {
      timers.after(afterMs, resolve);
      cancellation.add(() => {
        log.push(`${name} is ended${cancellation.reason === OUTRUN ? ", outrun" : ""}`);
        reject(cancellation.reason);
      });
    });
    if (end === "throws") {
      throw new Error(name);
    }
    const done = { abort: () => log.push(`${name} is aborted`), ended: () => {} };
    return { name, done: end === "done" ? done : null };
  };
  const hedge = (afterMs: number, cancellation: Cancellation = new CancellationSource()) =>
    timers.passUntil(hedged(begin, { afterMs, timers, cancellation }), 1);
  return { hedge, timers, log };
}

test("a first try that ends in time is the only try, however it ends", async () => {
  for (const end of ["done", "none"] as const) {
    const { hedge, log } = tries([{ name: "a", afterMs: 1, end }]);
    expect(await hedge(1_000)).toMatchObject({ name: "a" });
    expect(log).toEqual(["a begins"]);
  }
  const { hedge } = tries([{ name: "a", afterMs: 1, end: "throws" }]);
  await expect(hedge(1_000)).rejects.toThrow("a");
});

test("if the first try is silent, the second try's answer is used and the first try is ended", async () => {
  const { hedge, log } = tries([
    { name: "a", afterMs: 60_000, end: "done" },
    { name: "b", afterMs: 1, end: "done" },
  ]);
  expect(await hedge(20)).toMatchObject({ name: "b" });
  expect(log).toEqual(["a begins", "b begins", "a is ended, outrun"]);
});

test("a client that leaves ends both tries", async () => {
  const client = new CancellationSource();
  const { hedge, timers, log } = tries([
    { name: "a", afterMs: 60_000, end: "done" },
    { name: "b", afterMs: 60_000, end: "done" },
  ]);
  timers.after(40, () => client.cancel(new Error("gone")));
  await expect(hedge(10, client)).rejects.toThrow("gone");
  expect(log.slice(2).sort()).toEqual(["a is ended", "b is ended"]);
});

const plot = (name: string) =>
  fc.record({
    name: fc.constant(name),
    afterMs: fc.integer({ min: 0, max: 12 }),
    end: fc.constantFrom("done" as const, "none" as const, "throws" as const),
  });

test("the first try with a result is used once, and the other one is not left running", async () => {
  await fc.assert(
    fc.asyncProperty(plot("a"), plot("b"), async (a, b) => {
      const { hedge, timers, log } = tries([a, b]);
      const outcome = await hedge(4).catch((error: Error) => error);
      await timers.passUntil(setImmediate(), 15);
      const began = [a, b].filter(({ name }) => log.includes(`${name} begins`));
      const running = began.filter(
        ({ name, end }) =>
          end === "done" &&
          !log.some((line) => line.startsWith(`${name} is`)) &&
          (outcome instanceof Error || outcome.name !== name),
      );
      expect(running).toEqual([]);
      if (!(outcome instanceof Error)) {
        expect(outcome.done === null).toBe(began.every(({ end }) => end === "none"));
      }
    }),
    { numRuns: 60 },
  );
});
