import { type JsonObject, textOf } from "../fields";
import { isItemKind, mintItemId, responseIdOf } from "./ids";

/** Identifiers for a client's items start here, after all output; for items without an identifier of the gateway. */
const FIRST_INPUT_POSITION = 0x8000;

/**
 * Identifiers for output items start here, below those of input; for items whose own identifier is missing, or taken by
 * another item.
 */
const FIRST_RENAMED_POSITION = 0x4000;

const idAt = (responseId: string, { type }: JsonObject, position: number): string =>
  mintItemId(responseId, isItemKind(type) ? type : "message", position);

const inputId = (responseId: string, item: JsonObject, index: number): string =>
  idAt(responseId, item, FIRST_INPUT_POSITION + index);

/** Identifiers that no item of another response has, whatever identifiers the client sent. */
export const freshInputIds = (responseId: string, input: readonly JsonObject[]): string[] =>
  input.map((item, index) => inputId(responseId, item, index));

/**
 * A response's input for listing: each item has a unique identifier, by which a client can refer to it. An item that a
 * client brings back from an earlier answer keeps that answer's identifier.
 */
export function namedInput(responseId: string, input: JsonObject[], ids?: readonly string[]): JsonObject[] {
  if (ids) {
    return input.map((item, index) => ({ ...item, id: ids[index] }));
  }
  const usedIds = new Set<string>();
  return input.map((item, index) => {
    const itemId = textOf(item.id);
    const isOurs = responseIdOf(itemId) !== null && !usedIds.has(itemId);
    const id = isOurs ? itemId : inputId(responseId, item, index);
    usedIds.add(id);
    return { ...item, id };
  });
}

/**
 * A response's output for listing. A vendor's own item types keep the vendor's identifiers, by which other items name
 * them (an approval names its request), unless one is missing or in `usedIds`. Adds the identifiers of this output to
 * `usedIds`.
 */
export function namedOutput(responseId: string, output: JsonObject[], usedIds: Set<string>): JsonObject[] {
  return output.map((item, index) => {
    const itemId = textOf(item.id);
    const id =
      itemId === "" || usedIds.has(itemId) ? idAt(responseId, item, FIRST_RENAMED_POSITION + index) : itemId;
    usedIds.add(id);
    return { ...item, id };
  });
}
