import fc from "fast-check";
import { expect, test } from "vitest";
import { readState } from "./status-words";

test.each([
  ["PENDING", "queued"],
  ["queued", "queued"],
  ["NOT_START", "queued"],
  ["RUNNING", "processing"],
  ["in_progress", "processing"],
  ["SUCCEEDED", "completed"],
  ["succeeded", "completed"],
  ["done", "completed"],
  ["SUCCESS", "completed"],
  ["FAILED", "failed"],
  ["FAILURE", "failed"],
  ["expired", "expired"],
  ["CANCELED", "cancelled"],
  ["cancelled", "cancelled"],
])("a vendor's status %s is %s", (word, state) => {
  expect(readState(word)).toBe(state);
});

test("an unknown status word never ends a task", () => {
  const prefix = fc.string().map((text) => `x-${text}`);
  fc.assert(fc.property(prefix, (word) => readState(word) === "processing"));
  expect([readState(""), readState(null), readState(undefined)]).toEqual(Array(3).fill("processing"));
});
