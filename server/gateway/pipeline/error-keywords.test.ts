import { expect, test } from "vitest";
import { errorKeywords } from "./error-keywords";

test.each([
  [
    "429 Rate limit reached for gpt-5 in organization org-4Tq on tokens per min",
    "…Rate limit reached…organization…tokens per…",
  ],
  ["401 Incorrect API key provided: sk-live-1234", "…API key…"],
  ["insufficient_quota", "…insufficient quota"],
  ["403 账户余额不足，请充值", "…账户余额不足…"],
  ["the prompt says: my name is Ada", "…prompt…"],
  ["my name is Ada", ""],
  ["", ""],
])("the keywords of %s are kept, and nothing else", (words, gist) => {
  expect(errorKeywords(words)).toBe(gist);
});

test("the keywords are short, and are found in time proportional to the text", () => {
  expect(errorKeywords("rate limit ".repeat(10_000)).length).toBeLessThanOrEqual(200);
});
