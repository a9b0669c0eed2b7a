import { isJsonObject, type JsonObject } from "../fields";
import { readUpstreamError } from "../upstream-error";
import type { AnswerStream } from "../upstream-plan";
import { parseWithoutPrice } from "../usage/vendor-price";

type ParsedEvent = { kind: "event"; event: JsonObject; text: string } | ReturnType<AnswerStream["push"]>;

/**
 * Reads one event of a stream that is forwarded unchanged, with its text. `isExpected`: which events belong to a good
 * stream although they look like an error.
 */
export function readStreamEvent(
  data: string,
  isExpected: (event: JsonObject) => boolean = () => false,
): ParsedEvent {
  const text = data.trim();
  if (text === "[DONE]") {
    return { kind: "done" };
  }
  let event: unknown;
  try {
    event = parseWithoutPrice(text);
  } catch {
    return { kind: "malformed" };
  }
  if (!isJsonObject(event)) {
    return { kind: "malformed" };
  }
  const words = isExpected(event) ? null : readUpstreamError(event);
  return words ? { kind: "error", words } : { kind: "event", event, text };
}
