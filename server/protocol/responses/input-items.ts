import { type JsonObject, textOf } from "../fields";
import { isItemKind, mintItemId, responseIdOf } from "./ids";

/** Where an item that a client sent has no identifier of ours, it gets one behind those of all output. */
const FIRST_INPUT_POSITION = 0x8000;

/**
 * A response's input as it is listed: each item under an identifier that no other one has, by which it can be referred
 * to. One that a client brings back from an earlier answer keeps that answer's.
 */
export function namedInput(responseId: string, input: JsonObject[]): JsonObject[] {
  const seen = new Set<string>();
  return input.map((item, index) => {
    const sent = textOf(item.id);
    const kind = isItemKind(item.type) ? item.type : "message";
    const isOurs = responseIdOf(sent) !== null && !seen.has(sent);
    const id = isOurs ? sent : mintItemId(responseId, kind, FIRST_INPUT_POSITION + index);
    seen.add(id);
    return { ...item, id };
  });
}
