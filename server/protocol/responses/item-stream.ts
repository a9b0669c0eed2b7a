import { atOnce } from "@/server/base/turns";
import { isObjectText } from "../call-arguments";
import type { JsonObject } from "../fields";

/**
 * The item on its way. `place`: its output_index, the only name of it that stays the same. `part`: what of it the open
 * block is. `hasSaid`: something of it has been handed on. `given`: of a call, its arguments so far. `isAsked`: whether
 * they are whole has been looked at, which is done once. `isDone`: its last event had no arguments, which the response may
 * still have in its own.
 */
export type Item = {
  place: number;
  kind: "message" | "reasoning" | "call" | "other";
  part: string;
  hasSaid: boolean;
  given: string[];
  isAsked: boolean;
  isDone?: true;
};

const kinds = new Map<unknown, Item["kind"]>([
  ["message", "message"],
  ["reasoning", "reasoning"],
  ["function_call", "call"],
  ["custom_tool_call", "call"],
]);

export const kindOf = ({ type }: JsonObject): Item["kind"] => kinds.get(type) ?? "other";

const kindsByEvent = new Map<unknown, Item["kind"]>([
  ["response.output_text.delta", "message"],
  ["response.refusal.delta", "message"],
  ["response.reasoning_summary_text.delta", "reasoning"],
  ["response.reasoning_text.delta", "reasoning"],
]);

/** Where an item begins without its first event, by what comes of it; a call would have no name. */
export const kindByEvent = ({ type }: JsonObject): Item["kind"] | undefined => kindsByEvent.get(type);

/** A piece of a text inside of a JSON string. */
export const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * Whether nothing of an item is lost if its last event is not waited for. Vendors that begin several calls at a time
 * have not said all of the first: it has no arguments yet, or not all of them.
 */
export function hasCalled(item: Item): boolean {
  if (item.kind !== "call" || item.isDone) {
    return true;
  }
  if (item.isAsked || !item.hasSaid) {
    return false;
  }
  item.isAsked = true;
  return item.part === "custom_tool_call" || atOnce(isObjectText(item.given.join("")));
}
