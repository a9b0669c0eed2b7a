import { expect, test } from "vitest";
import { compactTokens } from "./compact-tokens";

test("limits in tokens are in thousands and millions, as vendors write them", () => {
  expect([4_100, 128_000, 400_000, 1_000_000, 500].map(compactTokens)).toEqual([
    "4.1K",
    "128K",
    "400K",
    "1M",
    "500",
  ]);
});

test("a multiple of 1,024 that is no round number is in thousands of 1,024", () => {
  expect([8_192, 65_536, 131_072, 1_048_576, 10_485_760].map(compactTokens)).toEqual([
    "8K",
    "64K",
    "128K",
    "1M",
    "10M",
  ]);
});
