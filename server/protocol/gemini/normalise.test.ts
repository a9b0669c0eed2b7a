import { expect, test } from "vitest";
import { finishOf, hasHalfCall, readResponse, stopOf } from "./normalise";

// google-ai-generativelanguage 0.12.1, Candidate.FinishReason.
test.each([
  [1, "STOP", "end"],
  [2, "MAX_TOKENS", "length"],
  [3, "SAFETY", "refusal"],
  [4, "RECITATION", "refusal"],
  [5, "OTHER", null],
  [6, "LANGUAGE", "refusal"],
  [7, "BLOCKLIST", "refusal"],
  [8, "PROHIBITED_CONTENT", "refusal"],
  [9, "SPII", "refusal"],
  [10, "MALFORMED_FUNCTION_CALL", null],
  [11, "IMAGE_SAFETY", "refusal"],
  [12, "UNEXPECTED_TOOL_CALL", null],
  [13, "TOO_MANY_TOOL_CALLS", null],
  [14, "IMAGE_PROHIBITED_CONTENT", "refusal"],
  [15, "IMAGE_OTHER", null],
  [16, "NO_IMAGE", null],
  [17, "IMAGE_RECITATION", "refusal"],
  [99, "OTHER", null],
])(
  "the finish reason number %d is %s, which other dialects call %s, or have no word for if it is a failure",
  (number, name, reason) => {
    expect(finishOf({ finishReason: number })).toBe(name);
    expect(stopOf(name)).toEqual(reason && { reason, sequence: null });
  },
);

test("an unspecified finish reason is no end", () => {
  expect(finishOf({ finishReason: 0 })).toBe("");
});

test.each([
  { name: "f", args: '{"q":1}' },
  { name: "f", arguments: { q: 1 } },
])("the arguments of %j are an object", (functionCall) => {
  const parts = [{ function_call: functionCall }];
  expect(readResponse({ candidates: [{ content: { parts } }] })).toEqual({
    candidates: [
      { content: { role: "model", parts: [{ functionCall: { name: "f", args: { q: 1 } } }] }, index: 0 },
    ],
  });
});

test.each(['{"q":', "[1]", [1], 1])("a call with the arguments %j is half a call", (args) => {
  const response = readResponse({
    candidates: [{ content: { parts: [{ functionCall: { name: "f", args } }] } }],
  });
  expect(hasHalfCall(response ?? {})).toBe(true);
});
