import { expect, test } from "vitest";
import { failedFinish, finishKind } from "./finish";

test.each([
  ["end", ["stop", "end_turn", "eos", "COMPLETE", "pause_turn", "STOP"]],
  [
    "length",
    ["max_tokens", "MAX_TOKENS", "model_context_window_exceeded", "max_output_tokens", "ERROR_LIMIT"],
  ],
  ["refusal", ["content_filter", "sensitive", "RECITATION", "PROHIBITED_CONTENT", "SPII", "MODEL_ARMOR"]],
  ["refusal", ["guardrail_intervened", "ERROR_TOXIC", "BLOCKLIST", "IMAGE_SAFETY", "refusal"]],
  ["calls", ["tool_calls", "tool_use", "function_call"]],
  ["failure", ["insufficient_system_resource", "network_error", "error", "abort", "timeout", "NO_IMAGE"]],
  ["failure", ["MALFORMED_RESPONSE", "UNEXPECTED_TOOL_CALL", "MISSING_THOUGHT_SIGNATURE", "OTHER"]],
  ["stop_sequence", ["stop_sequence"]],
  ["unknown", ["tired", "stopped for lunch", "toString"]],
] as const)("%s is the kind of each of %s", (kind, words) => {
  expect(words.filter((word) => finishKind(word) !== kind)).toEqual([]);
  expect(words.filter((word) => finishKind(` ${word.replaceAll("_", "-")} `) !== kind)).toEqual([]);
});

test("a choice that goes on has no end, and a word may have the prefix of its enumeration", () => {
  const unfinished = [null, undefined, "", "null", "None", "FINISH_REASON_UNSPECIFIED", 0, {}];
  expect(unfinished.filter((word) => finishKind(word) !== null)).toEqual([]);
  expect(finishKind("FINISH_REASON_MAX_TOKENS")).toBe("length");
});

test("an answer has failed if all ends that it names are failures", () => {
  const choices = (...reasons: unknown[]) => ({
    choices: reasons.map((finish_reason) => ({ finish_reason })),
  });
  expect(failedFinish(choices("network_error"))).toBe("network_error");
  expect(failedFinish(choices(null, "error"))).toBe("error");
  expect(failedFinish(choices("stop", "error"))).toBeNull();
  expect(failedFinish(choices("error of a new kind"))).toBeNull();
  expect(failedFinish({ stop_reason: "error" })).toBe("error");
  expect(failedFinish({ type: "message_delta", delta: { stop_reason: "error" } })).toBe("error");
});
