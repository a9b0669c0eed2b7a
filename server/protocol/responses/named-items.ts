import { type JsonObject, textOf } from "../fields";
import { isItemKind, mintItemId, responseIdOf } from "./ids";

/** A client's item without an identifier of ours gets one from here on, behind those of all output. */
const FIRST_INPUT_POSITION = 0x8000;

/** An output item whose own identifier is missing, or taken by another item, gets one from here on, below those of input. */
const FIRST_RENAMED_POSITION = 0x4000;

const idAt = (responseId: string, { type }: JsonObject, position: number): string =>
  mintItemId(responseId, isItemKind(type) ? type : "message", position);

const inputId = (responseId: string, item: JsonObject, index: number): string =>
  idAt(responseId, item, FIRST_INPUT_POSITION + index);

/** Identifiers that no item of another response has, whatever its client calls these. */
export const freshInputIds = (responseId: string, input: readonly JsonObject[]): string[] =>
  input.map((item, index) => inputId(responseId, item, index));

/**
 * A response's input as it is listed: each item under an identifier that no other one has, by which it can be referred
 * to. One that a client brings back from an earlier answer keeps that answer's.
 */
export function namedInput(responseId: string, input: JsonObject[], ids?: readonly string[]): JsonObject[] {
  if (ids) {
    return input.map((item, index) => ({ ...item, id: ids[index] }));
  }
  const seen = new Set<string>();
  return input.map((item, index) => {
    const sent = textOf(item.id);
    const isOurs = responseIdOf(sent) !== null && !seen.has(sent);
    const id = isOurs ? sent : inputId(responseId, item, index);
    seen.add(id);
    return { ...item, id };
  });
}

/**
 * A response's output as it is listed. A vendor's own kinds of items keep the vendor's identifiers, by which other items name
 * them (an approval its request), unless one is missing or in `seen`. Adds those of this output to `seen`.
 */
export function namedOutput(responseId: string, output: JsonObject[], seen: Set<string>): JsonObject[] {
  return output.map((item, index) => {
    const sent = textOf(item.id);
    const id = sent === "" || seen.has(sent) ? idAt(responseId, item, FIRST_RENAMED_POSITION + index) : sent;
    seen.add(id);
    return { ...item, id };
  });
}
