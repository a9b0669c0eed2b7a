import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { isEmptyArguments } from "../tools/call-arguments";

/** The target of a `delta`: a member of the item, or of a part in one of its lists. */
type Growth = { list: "content" | "summary" | null; place: string; member: string; part: string };

const growths = new Map<unknown, Growth>([
  [
    "response.output_text.delta",
    { list: "content", place: "content_index", member: "text", part: "output_text" },
  ],
  ["response.refusal.delta", { list: "content", place: "content_index", member: "refusal", part: "refusal" }],
  [
    "response.reasoning_text.delta",
    { list: "content", place: "content_index", member: "text", part: "reasoning_text" },
  ],
  [
    "response.reasoning_summary_text.delta",
    { list: "summary", place: "summary_index", member: "text", part: "summary_text" },
  ],
  ["response.function_call_arguments.delta", { list: null, place: "", member: "arguments", part: "" }],
  ["response.custom_tool_call_input.delta", { list: null, place: "", member: "input", part: "" }],
]);

/** More parts than any item has. */
const MAX_PARTS = 10_000;

const indexOf = (value: unknown): number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < MAX_PARTS ? value : 0;

/** An item whose lists are not those of its source. */
const withOwnLists = (item: JsonObject): JsonObject => ({
  ...item,
  ...(Array.isArray(item.content) && { content: objects(item.content) }),
  ...(Array.isArray(item.summary) && { summary: objects(item.summary) }),
});

/** The members of an item that hold its content. */
const CONTENTS = ["content", "summary", "arguments", "input"];

const isBlank = (value: unknown): boolean =>
  Array.isArray(value)
    ? objects(value).every((part) => textOf(part.text) === "" && textOf(part.refusal) === "")
    : isEmptyArguments(textOf(value));

/** An item with the content that has come in pieces, where its vendor leaves that out of the whole item. */
export function withContentOf(item: JsonObject, soFar: JsonObject | undefined): JsonObject {
  if (soFar === undefined || soFar.type !== item.type || soFar.id !== item.id) {
    return item;
  }
  const lost = CONTENTS.filter((name) => isBlank(item[name]) && !isBlank(soFar[name]));
  return lost.length === 0
    ? item
    : { ...item, ...Object.fromEntries(lost.map((name) => [name, soFar[name]])) };
}

/** The item's own list, which may be changed. */
function partsIn(item: JsonObject, list: string): JsonObject[] {
  const parts = Array.isArray(item[list]) ? (item[list] as JsonObject[]) : [];
  item[list] = parts;
  return parts;
}

/** Assembles a response's items from their events, each as far as it has come. */
export class OutputSoFar {
  private readonly items = new Map<number, JsonObject>();
  private readonly done = new Set<number>();
  private place = -1;

  /** The item's position for an event. Some vendors leave it out of an item's last event, or of all events. */
  placeOf({ type, output_index: index, item, item_id: itemId }: JsonObject): number {
    const isOfItem = item !== undefined || itemId !== undefined;
    if (typeof index === "number") {
      this.place = index;
    } else if (type === "response.output_item.added" || (this.place === -1 && isOfItem)) {
      this.place++;
    }
    return this.place;
  }

  /** The items in the order of their positions. Its items do not change: the list may be printed after later events. */
  list(): JsonObject[] {
    return [...this.items].sort(([left], [right]) => left - right).map(([, item]) => withOwnLists(item));
  }

  /** The item at a position. */
  at(place: number): JsonObject | undefined {
    return this.items.get(place);
  }

  /** The items without a last event, with their positions. */
  get undone(): [place: number, item: JsonObject][] {
    return [...this.items].filter(([place]) => !this.done.has(place));
  }

  /** `place`: the item's output_index. Keeps its arguments and changes none of them. */
  take(event: JsonObject, place: number): void {
    switch (event.type) {
      case "response.output_item.added":
      case "response.output_item.done":
        if (isJsonObject(event.item)) {
          this.items.set(place, withOwnLists(event.item));
        }
        if (event.type === "response.output_item.done") {
          this.done.add(place);
        }
        return;
      case "response.content_part.added":
      case "response.content_part.done":
        this.setPart(place, { list: "content", index: indexOf(event.content_index) }, event.part);
        return;
      case "response.reasoning_summary_part.added":
      case "response.reasoning_summary_part.done":
        this.setPart(place, { list: "summary", index: indexOf(event.summary_index) }, event.part);
        return;
      default: {
        const growth = growths.get(event.type);
        if (growth !== undefined) {
          this.grow(place, growth, event);
        }
      }
    }
  }

  private setPart(place: number, { list, index }: { list: string; index: number }, part: unknown): void {
    const item = this.items.get(place);
    if (item !== undefined && isJsonObject(part)) {
      const parts = partsIn(item, list);
      parts[Math.min(index, parts.length)] = part;
    }
  }

  private grow(place: number, { list, place: where, member, part }: Growth, event: JsonObject): void {
    const item = this.items.get(place);
    if (item === undefined) {
      return;
    }
    if (list === null) {
      item[member] = textOf(item[member]) + textOf(event.delta);
      return;
    }
    const index = indexOf(event[where]);
    const grown = partsIn(item, list)[index] ?? { type: part };
    const text = textOf(grown[member]) + textOf(event.delta);
    this.setPart(place, { list, index }, { ...grown, [member]: text });
  }
}
