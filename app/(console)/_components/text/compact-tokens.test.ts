import { expect, test } from "vitest";
import { compactTokens } from "./compact-tokens";

test("limits in tokens are in thousands and millions, as vendors write them", () => {
  expect([4_096, 131_072, 1_048_576].map(compactTokens)).toEqual(["4.1K", "131.1K", "1M"]);
});
