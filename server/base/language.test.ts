import { expect, test } from "vitest";
import { timed } from "@/tests/support/work-time";
import { languageOf } from "./language";

test.each([
  [null, "zh"],
  ["", "zh"],
  ["*", "zh"],
  ["fr", "zh"],
  ["en", "en"],
  ["en-US,en;q=0.9,zh;q=0.8", "en"],
  ["zh-CN,zh;q=0.9,en;q=0.8", "zh"],
  ["zh;q=0.3, EN-gb;q=0.7", "en"],
  ["fr, en;q=0.5", "en"],
  ["en;q=0, zh;q=0.1", "zh"],
  ["en;q=0", "zh"],
  ["en,zh", "en"],
  ["en;q=x", "zh"],
] as const)("the language for %j is %s", (header, language) => {
  expect(languageOf(header)).toBe(language);
});

test("a header of 16 kB is read in less than 50 ms", async () => {
  for (const header of [",".repeat(16_000), ";".repeat(16_000), "en;q=".repeat(3_200), " ".repeat(16_000)]) {
    expect((await timed(() => languageOf(header))).ms).toBeLessThan(50);
  }
});
