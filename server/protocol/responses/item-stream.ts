import { atOnce } from "@/server/base/turns";
import type { JsonObject } from "../fields";
import { isObjectText } from "../tools/call-arguments";

/**
 * The current item. `place`: its output_index, the only identifier of it that stays the same. `part`: the part of it
 * that the open block shows. `hasSaid`: some of it has been passed on. `argumentPieces`: a call's arguments so far. `isAsked`:
 * whether the arguments were checked for completeness, which happens once. `isDone`: its last event had no arguments;
 * the final response may still have them.
 */
export type StreamItem = {
  place: number;
  kind: "message" | "reasoning" | "call" | "other";
  part: string;
  hasSaid: boolean;
  argumentPieces: string[];
  isAsked: boolean;
  isDone?: true;
};

const kinds = new Map<unknown, StreamItem["kind"]>([
  ["message", "message"],
  ["reasoning", "reasoning"],
  ["function_call", "call"],
  ["custom_tool_call", "call"],
]);

export const kindOf = ({ type }: JsonObject): StreamItem["kind"] => kinds.get(type) ?? "other";

const kindsByEvent = new Map<unknown, StreamItem["kind"]>([
  ["response.output_text.delta", "message"],
  ["response.refusal.delta", "message"],
  ["response.reasoning_summary_text.delta", "reasoning"],
  ["response.reasoning_text.delta", "reasoning"],
]);

/** The kind of an item without its first event, from a later event. A call is missing here: it would have no name. */
export const kindByEvent = ({ type }: JsonObject): StreamItem["kind"] | undefined => kindsByEvent.get(type);

/** A piece of a text inside a JSON string. */
export const escaped = (text: string): string => JSON.stringify(text).slice(1, -1);

/**
 * Whether an item's last event is no longer needed. Vendors that start several calls at a time have not sent all of the
 * first call: its arguments are missing or incomplete.
 */
export function hasCalled(item: StreamItem): boolean {
  if (item.kind !== "call" || item.isDone) {
    return true;
  }
  if (item.isAsked || !item.hasSaid) {
    return false;
  }
  item.isAsked = true;
  return item.part === "custom_tool_call" || atOnce(isObjectText(item.argumentPieces.join("")));
}
