import { isJsonObject, type JsonObject } from "../fields";

/**
 * A tool call that has begun in a stream: its id, the number that the vendor gave it, and an id of ours for want of
 * one.
 */
export type BegunCall = { id: string; sent: unknown; minted: string | null };

const isNamed = (call: JsonObject): boolean =>
  [call.function, call.custom].some((target) => isJsonObject(target) && Boolean(target.name));

/**
 * The place of a streamed tool call among its choice's calls, from 0; the SDKs put calls together by it. Vendors leave
 * the number out, start at 1, or call every call 0: then a new id with a name, or a name alone, begins the next one.
 * Remembers in `begun` what begins.
 */
export function placeToolCall(begun: BegunCall[], call: JsonObject): number {
  const id = typeof call.id === "string" ? call.id : "";
  const isNumbered = typeof call.index === "number";
  const hasNumber = (other: BegunCall) => !isNumbered || other.sent === call.index;
  const same = id === "" ? -1 : begun.findLastIndex((other) => other.id === id && hasNumber(other));
  const latest = same === -1 ? begun.findLastIndex(hasNumber) : same;
  const found = begun[latest];
  const isNext = same === -1 && isNamed(call) && (id === "" ? !isNumbered : found?.id !== "");
  if (!found || isNext) {
    return begun.push({ id, sent: call.index, minted: null }) - 1;
  }
  found.id ||= id;
  return latest;
}

/**
 * Gives a fragment of a call the id that its client pairs the tool's result with: Gemini sends none, and two calls
 * without one cannot be told apart. Once a client has seen ours, a late one of the vendor's stays away from it.
 */
export function identifyToolCall(begun: BegunCall, call: JsonObject, mint: () => string): void {
  if (begun.id === "" && isNamed(call)) {
    begun.minted ??= mint();
  }
  if (begun.minted !== null) {
    call.id = begun.minted;
  }
}
