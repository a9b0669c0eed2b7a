import { expect, test } from "vitest";
import { gate } from "@/tests/support/gate";
import { limitConcurrency } from "./concurrency";

test("of one person's things so many run at a time, in order, and another's do not wait", async () => {
  const takeTurn = limitConcurrency(2);
  const things = Array.from({ length: 4 }, gate);
  const begun: number[] = [];
  const all = things.map(({ opened }, index) =>
    takeTurn("one", async () => {
      begun.push(index);
      await opened;
    }),
  );
  expect(await takeTurn("another", async () => "at once")).toBe("at once");
  expect(begun).toEqual([0, 1]);
  things[1]?.open();
  await all[1];
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2]);
  for (const { open } of things) {
    open();
  }
  await Promise.all(all);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test("what fails gives its turn to the next, and its error to who asked", async () => {
  const takeTurn = limitConcurrency(1);
  const failing = takeTurn("one", async () => {
    throw new Error("no");
  });
  const next = takeTurn("one", async () => "done");
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("done");
});
