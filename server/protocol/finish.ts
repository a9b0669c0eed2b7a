/** Why an answer ended, from the words of all vendors, independent of the dialect (spec 2.2, 2.3). */
import { isJsonObject, type JsonObject, objects } from "./fields";

/**
 * `failure`: the vendor broke off, so the answer is incomplete. `unknown`: an unlisted word, which never counts as a
 * normal end.
 */
export type Finish = "end" | "length" | "stop_sequence" | "refusal" | "calls" | "failure" | "unknown";

/** A list of words, written as one text. */
const list = (text: string): string[] => text.trim().split(/\s+/);

/** In lower case, with `_` between words, without Google's prefix. */
const words: Record<Exclude<Finish, "unknown">, string[]> = {
  // The last two are Anthropic's, for turns that a client may continue like any other.
  end: list(`
    stop end end_turn end_of_turn eos eos_token eos_found stop_token complete completed finish finished done
    success pause_turn compaction
  `),
  length: list(`
    length max_tokens max_length max_output_tokens max_completion_tokens model_length max_new_tokens
    token_limit token_limit_reached max_output_reached context_length context_length_exceeded context_window
    model_context_window_exceeded error_limit incomplete
  `),
  stop_sequence: list("stop_sequence stop_sequence_reached stop_string"),
  refusal: list(`
    content_filter content_filtered content_filtering contentfilter refusal refused safety sensitive
    recitation language blocklist prohibited_content spii blocked image_safety image_prohibited_content
    image_recitation model_armor error_toxic guardrail_intervened guardrail moderation
    data_inspection_failed content_policy_violation policy_violation risk_control toxicity
  `),
  calls: list("tool_calls tool_call tool_use function_call function_calls"),
  failure: list(`
    error failed failure server_error internal_error network_error upstream_error
    insufficient_system_resource overloaded engine_overloaded expired rate_limit timeout time_limit abort
    aborted cancel cancelled canceled user_cancel interrupted repetition other error_other
    malformed_function_call malformed_response malformed_model_output malformed_tool_use
    unexpected_tool_call too_many_tool_calls missing_thought_signature no_image image_other
  `),
};

const kinds = new Map(
  Object.entries(words).flatMap(([kind, named]) => named.map((word) => [word, kind as Finish] as const)),
);

/** Words for an answer that has not ended. */
const unfinished = new Set(["", "null", "none", "unspecified", "finish_reason_unspecified"]);

/** The meaning of a vendor's word. null: the answer has not ended, or there is no word. */
export function finishKind(word: unknown): Finish | null {
  if (typeof word !== "string") {
    return null;
  }
  const finish = kinds.get(word);
  if (finish !== undefined) {
    return finish;
  }
  const plain = word
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, "_");
  return unfinished.has(plain) ? null : (kinds.get(plain.replace(/^finish_reason_/, "")) ?? "unknown");
}

/**
 * The word by which an answer, or an event of a stream, says that its vendor broke off. null: it does not. Skips
 * Google's `finishReason`: Google's own clients know the reason for a call that could not be made.
 */
export function failedFinish(body: JsonObject): string | null {
  const delta = isJsonObject(body.delta) ? body.delta : {};
  const ends = [
    body.stop_reason,
    delta.stop_reason,
    ...objects(body.choices).map((choice) => choice.finish_reason),
  ];
  const reasons = ends.filter((word) => finishKind(word) !== null);
  return reasons.length > 0 && reasons.every((word) => finishKind(word) === "failure")
    ? String(reasons[0])
    : null;
}
