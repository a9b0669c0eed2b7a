import { describe, expect, test } from "vitest";
import { isUnit, unitNameOf } from "./units";

describe("a unit", () => {
  test.each([
    ...["request", "image", "image:1024x1024", "image:1024x1024:high"],
    ...["character", "web_search", "second"],
  ])("is valid as %s", (unit) => {
    expect(isUnit(unit)).toBe(true);
    expect(unitNameOf(unit)).toBe(unit.split(":")[0]);
  });

  test.each([
    ...["", "constructor", "images", "image:"],
    ...["image:a:b:c", "IMAGE", "image:1024 x 1024", "image::high"],
  ])("is not valid as %j", (unit) => {
    expect(isUnit(unit)).toBe(false);
  });

  test.each(["web_search:high", "request:1", "image:auto", "image:auto:high", "image:1024x1024:auto"])(
    "is not valid as %j, because no call would be charged at its price",
    (unit) => {
      expect(isUnit(unit)).toBe(false);
    },
  );
});
