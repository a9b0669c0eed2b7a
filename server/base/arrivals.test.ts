import { expect, test } from "vitest";
import { Arrivals } from "./arrivals";

test("results and failures come in the order in which their promises settle", async () => {
  const arrivals = new Arrivals<string>();
  let resolveFirst = (_value: string) => {};
  arrivals.expect(
    new Promise((resolve) => {
      resolveFirst = resolve;
    }),
  );
  arrivals.expect(Promise.resolve("b"));
  arrivals.expect(Promise.reject(new Error("c")));
  expect(await arrivals.next()).toBe("b");
  // Ready at once, but after the results that were ready before it.
  arrivals.expect(Promise.resolve("d"));
  await expect(arrivals.next()).rejects.toThrow("c");
  expect(await arrivals.next()).toBe("d");
  expect(arrivals.isOver).toBe(false);
  resolveFirst("a");
  expect(await arrivals.next()).toBe("a");
  expect(arrivals.isOver).toBe(true);
});
