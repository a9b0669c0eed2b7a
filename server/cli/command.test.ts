import { expect, test } from "vitest";
import { seconds, UsageError } from "./command";

const read = (value?: string) => seconds({ "keep-old": value }, "keep-old");

test("a duration is a number with its unit, or 0", () => {
  expect(["90s", "30m", "1h", "0", "0h"].map(read)).toEqual([90, 1_800, 3_600, 0, 0]);
  expect(read()).toBeUndefined();
});

test.each(["", "1", "1d", "-1h", "1.5h", "1 h", "h", "9999999s"])("%j is no duration", (value) => {
  expect(() => read(value)).toThrow(UsageError);
});
