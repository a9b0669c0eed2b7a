import { isJsonObject, type JsonObject } from "../fields";
import { parseWithoutPrice } from "../usage/vendor-price";
import { openEnvelope } from "./envelope";

/** The words by which vendors name an event that only shows that they are at work. */
const LIFE = /^[\s["'<]*(?:.*\.)?(?:ping|pong|heart[-_ ]?beat|keep[-_ ]?alive)[\s\]"'>]*$/i;

/** Whether a text is such a word. */
export const isSignOfLife = (text: string): boolean => text.length < 64 && LIFE.test(text);

/** Whether an event has only such a word: as its kind, or as a member with any value. Most events have a kind. */
function isAliveOnly(event: JsonObject): boolean {
  const kind = event.type ?? event.object ?? event.event;
  const word = typeof kind === "string" ? kind : Object.keys(event)[0];
  return word === undefined || isSignOfLife(word);
}

/**
 * Reads the `data` of one event of a stream: its JSON, without an envelope; a sign of life; or no JSON. `parsed`: its
 * JSON, if already parsed.
 */
export function readEventJson(
  data: string,
  parsed?: unknown,
): { kind: "json"; value: unknown } | { kind: "ping" } | { kind: "malformed" } {
  if (data.trim() === "") {
    return { kind: "ping" };
  }
  let value: unknown;
  try {
    value = parsed ?? parseWithoutPrice(data);
  } catch {
    return { kind: isSignOfLife(data) ? "ping" : "malformed" };
  }
  // Some gateways in between send a list of one.
  const event = openEnvelope(Array.isArray(value) && value.length === 1 ? value[0] : value);
  const isAlive = isJsonObject(event) ? isAliveOnly(event) : typeof event === "string" && isSignOfLife(event);
  return isAlive ? { kind: "ping" } : { kind: "json", value: event };
}
