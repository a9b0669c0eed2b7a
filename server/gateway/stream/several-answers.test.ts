import { expect, test } from "vitest";
import { concurrencyFor } from "./several-answers";

const MB = 1024 * 1024;

test.each([
  [0, 8],
  [2 * MB, 8],
  [4 * MB, 4],
  [9 * MB, 1],
  [32 * MB, 1],
])("a request with a body of %i bytes sends %i calls at a time", (bytes, calls) => {
  expect(concurrencyFor(bytes)).toBe(calls);
});
