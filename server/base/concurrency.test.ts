import { expect, test } from "vitest";
import { gate } from "@/tests/support/gate";
import { limitConcurrency } from "./concurrency";

test("at most the given number of one owner's jobs run at a time, in order, and another owner's jobs do not wait", async () => {
  const takeTurn = limitConcurrency(2);
  const gates = Array.from({ length: 4 }, gate);
  const begun: number[] = [];
  const all = gates.map(({ opened }, index) =>
    takeTurn("one", async () => {
      begun.push(index);
      await opened;
    }),
  );
  expect(await takeTurn("another", async () => "at once")).toBe("at once");
  expect(begun).toEqual([0, 1]);
  gates[1]?.open();
  await all[1];
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2]);
  for (const { open } of gates) {
    open();
  }
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test("a job that fails gives its turn to the next one, and its error to its caller", async () => {
  const takeTurn = limitConcurrency(1);
  const failing = takeTurn("one", async () => {
    throw new Error("no");
  });
  const next = takeTurn("one", async () => "done");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("done");
});
