import { expect, test } from "vitest";
import { limitConcurrency } from "./concurrency";

function deferred() {
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { end, ended };
}

test("of one person's things so many run at a time, in order, and another's do not wait", async () => {
  const takeTurn = limitConcurrency(2);
  const things = Array.from({ length: 4 }, deferred);
  const begun: number[] = [];
  const all = things.map(({ ended }, index) =>
    takeTurn("one", async () => {
      begun.push(index);
      await ended;
    }),
  );
  expect(await takeTurn("another", async () => "at once")).toBe("at once");
  expect(begun).toEqual([0, 1]);
  things[1]?.end();
  await all[1];
  await Promise.resolve();
  expect(begun).toEqual([0, 1, 2]);
  for (const { end } of things) {
    end();
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
