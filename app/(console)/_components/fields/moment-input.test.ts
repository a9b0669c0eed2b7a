import { expect, test } from "vitest";
import { fromInput, toInput } from "./moment-input";

test("a moment is the same after it was in an input, to the minute", () => {
  const moment = new Date("2026-05-01T09:30:00Z");
  expect(fromInput(toInput(moment))).toEqual(moment);
  expect(fromInput("")).toBeNull();
  expect(toInput(null)).toBe("");
});
