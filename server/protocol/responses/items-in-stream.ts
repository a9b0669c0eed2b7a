import { isJsonObject, type JsonObject, textOf } from "../fields";
import { ArgumentsScan } from "../tools/arguments-scan";
import { GrownText } from "./grown-text";

export type PartList = "content" | "summary";

/** One text of an item. `isEnded`: its text has its last event. `isDone`: the part has. */
export type StreamPart = {
  list: PartList;
  index: number;
  type: string;
  text: GrownText;
  annotations: number;
  isEnded: boolean;
  isDone: boolean;
};

/** An item so far. `last`: its last event, which waits for the content that it lacks. */
export type BegunItem = {
  place: number;
  type: string;
  id: unknown;
  parts: Map<string, StreamPart>;
  /** A part of it has text. */
  hasText: boolean;
  input: GrownText;
  scan: ArgumentsScan;
  isInputDone: boolean;
  isDone: boolean;
  last: JsonObject | null;
  /** The final response has it. */
  isMatched: boolean;
};

/** The members by which an event names its item. */
export const namesOf = ({ place, id }: BegunItem): JsonObject => ({
  output_index: place,
  ...(id !== undefined && { item_id: id }),
});

/** Adds a piece to the text of a part. */
export function growPart(item: BegunItem, part: StreamPart, piece: string): void {
  part.text.read(piece);
  item.hasText ||= piece !== "";
}

/** The most items that the final response is compared with one by one. */
const MAX_SEARCHED = 256;

const DIGITS = /^\d{1,4}$/;

function numberIn({ output_index: index }: JsonObject): number | null {
  const number = typeof index === "string" && DIGITS.test(index) ? Number(index) : index;
  return typeof number === "number" && Number.isInteger(number) && number >= 0 ? number : null;
}

/**
 * The items of a stream, numbered from 0 in the order in which they begin, as the SDKs assemble them. Vendors leave the
 * number out, begin at 1, number every item alike, or change an item's identifier on the way.
 */
export class BegunItems {
  readonly list: BegunItem[] = [];
  private readonly ids = new Map<unknown, BegunItem>();
  /** The latest item with each number of the vendor. */
  private readonly places = new Map<number, BegunItem>();
  /** The item of the latest event. */
  current: BegunItem | null = null;

  /** The item of an event, by its identifier, by the vendor's number, or the current one. */
  of(event: JsonObject): BegunItem | null {
    const id = isJsonObject(event.item) ? event.item.id : event.item_id;
    const same = textOf(id) === "" ? undefined : this.ids.get(id);
    const number = numberIn(event);
    return same ?? (number === null ? this.current : (this.places.get(number) ?? null));
  }

  /** Adds an item that begins with this event. null: with the final response. */
  add({ type, id }: JsonObject, event: JsonObject | null): BegunItem {
    const item: BegunItem = {
      ...{ place: this.list.length, type: textOf(type), id, parts: new Map(), hasText: false },
      ...{ input: new GrownText(), scan: new ArgumentsScan() },
      ...{ isInputDone: false, isDone: false, last: null, isMatched: false },
    };
    this.list.push(item);
    if (textOf(id) !== "") {
      this.ids.set(id, item);
    }
    const number = event === null ? null : numberIn(event);
    if (number !== null) {
      this.places.set(number, item);
    }
    return item;
  }

  /** The begun item that the final response has at this place. null: it has not begun. */
  match(whole: JsonObject, index: number): BegunItem | null {
    const isSame = (item: BegunItem | undefined): item is BegunItem =>
      item !== undefined && !item.isMatched && (item.type === whole.type || item.type === "");
    const named = textOf(whole.id) === "" ? undefined : this.ids.get(whole.id);
    const found = [named, this.list[index]].find(isSame);
    return found ?? (this.list.length <= MAX_SEARCHED ? this.list.find(isSame) : undefined) ?? null;
  }
}
