import { expect, test } from "vitest";
import { finishOf, isBrokenCall, stopOf } from "./normalise";

// google-ai-generativelanguage 0.12.1, Candidate.FinishReason.
test.each([
  [1, "STOP", "end"],
  [2, "MAX_TOKENS", "length"],
  [3, "SAFETY", "refusal"],
  [4, "RECITATION", "refusal"],
  [5, "OTHER", "end"],
  [6, "LANGUAGE", "refusal"],
  [7, "BLOCKLIST", "refusal"],
  [8, "PROHIBITED_CONTENT", "refusal"],
  [9, "SPII", "refusal"],
  [11, "IMAGE_SAFETY", "refusal"],
  [12, "UNEXPECTED_TOOL_CALL", "end"],
  [13, "TOO_MANY_TOOL_CALLS", "end"],
  [14, "IMAGE_PROHIBITED_CONTENT", "refusal"],
  [15, "IMAGE_OTHER", "end"],
  [16, "NO_IMAGE", "end"],
  [17, "IMAGE_RECITATION", "refusal"],
  [99, "OTHER", "end"],
])("the number %d of a reason is %s, which other dialects are told as %s", (number, name, reason) => {
  expect(finishOf({ finishReason: number })).toBe(name);
  expect(stopOf(name)).toEqual({ reason, sequence: null });
});

test("a call that nobody can make is told by its number, and an end that is none is no end", () => {
  expect(isBrokenCall(finishOf({ finishReason: 10 }))).toBe(true);
  expect(finishOf({ finishReason: 0 })).toBe("");
});
