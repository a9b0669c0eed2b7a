/** Answers of Workers AI's own API, which has no choices: `{"response": "text", "tool_calls": […], "usage": {…}}`. */
import type { JsonObject } from "../fields";

/** The text of an answer, or of a piece of it. The API sends a piece that is a number as one. undefined: no text. */
function contentOf(response: unknown, member: "message" | "delta"): unknown {
  if (typeof response === "object") {
    // JSON that a schema asked for.
    return member === "message" && response !== null ? response : undefined;
  }
  return response === undefined ? undefined : String(response);
}

/** Moves the text and the calls of such an answer, or of an event, to a choice. Changes the answer. */
export function addChoices(answer: JsonObject, member: "message" | "delta"): void {
  if (answer.choices !== undefined) {
    return;
  }
  const { response, tool_calls: calls } = answer;
  const content = contentOf(response, member);
  if (content === undefined && !Array.isArray(calls)) {
    return;
  }
  delete answer.response;
  delete answer.tool_calls;
  const said = {
    ...(content !== undefined && { content }),
    ...(Array.isArray(calls) && { tool_calls: calls }),
  };
  answer.choices = [{ index: 0, [member]: { role: "assistant", ...said }, finish_reason: null }];
}
