import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { finishKind } from "../finish";
import { isBlankItem, isUsableItem } from "./answer";
import { completeEvent } from "./complete";
import {
  blankItem,
  contentEnds,
  contentRest,
  firstEvent,
  inputRest,
  inputs,
  isCallType,
  isPlaceholder,
  partOf,
} from "./content-in-stream";
import { type BegunItem, BegunItems, growPart, type PartList, type StreamPart } from "./items-in-stream";
import { memberOf, partEnd, partEvents, partRest, textEvents } from "./parts-in-stream";

const inputEvents = new Map<unknown, { type: string; step: "delta" | "done" }>(
  Object.entries(inputs).flatMap(([type, { name }]) =>
    (["delta", "done"] as const).map((step): [string, { type: string; step: "delta" | "done" }] => [
      `response.${name}.${step}`,
      { type, step },
    ]),
  ),
);

const MAX_PARTS = 10_000;

const indexIn = (value: unknown): number =>
  typeof value === "number" && Number.isInteger(value) && value >= 0 && value < MAX_PARTS ? value : 0;

/** Whether the last event says that the answer was cut off. */
const isCutShort = ({ type, response }: JsonObject): boolean =>
  type === "response.incomplete" || (isJsonObject(response) && finishKind(response.status) === "length");

/**
 * Adds the events that a vendor leaves out, so that clients get every text in pieces and every item with its first and
 * last event: SDKs add pieces up by item and part, and agents act on an item's last event. A vendor may send a text, or
 * the rest of it, only in the event that ends it, in the whole item or in the final response. Keeps no text.
 */
export class WholeStream {
  private readonly items = new BegunItems();
  private isNameless = false;
  /** Whether it left out an item that calls nothing. */
  private hasLeftOut = false;
  /** Whether arguments came that no item with a name has claimed so far. */
  private hasUnclaimed = false;
  private isCut = false;

  /** Whether a finished answer has a call without a name, or one that was cut off. */
  get hasHalfCall(): boolean {
    const isHalf = ({ type, scan }: BegunItem) => type === "function_call" && scan.state === "inside";
    return !this.isCut && (this.isNameless || this.items.list.some(isHalf));
  }

  /** Whether an item has begun that a client can use. */
  get hasUsable(): boolean {
    return this.items.list.some(({ type, hasText }) => isCallType(type) || (type === "message" && hasText));
  }

  /** The event with those that are missing before it. Changes the event. */
  fill(event: JsonObject): JsonObject[] {
    switch (event.type) {
      case "response.output_item.added":
        return this.begin(event);
      case "response.output_item.done":
        return this.finish(event);
      case "response.completed":
      case "response.incomplete":
        this.isCut = isCutShort(event);
        return [...this.complete(event), event];
      default:
        return this.grow(event);
    }
  }

  /** The last event of another item that waited for its content. */
  private leave(item: BegunItem): JsonObject[] {
    const before = this.items.current;
    this.items.current = item;
    return before !== null && before !== item && before.type !== "function_call"
      ? this.release(before, null)
      : [];
  }

  private begin(event: JsonObject): JsonObject[] {
    const source = isJsonObject(event.item) ? event.item : null;
    if (source === null) {
      return [];
    }
    const type = textOf(source.type);
    if (isCallType(type) && textOf(source.name) === "") {
      // The last event may have the name.
      return [];
    }
    const before = this.items.of(event);
    if (
      before !== null &&
      !before.isDone &&
      before.last === null &&
      before.id === source.id &&
      before.type === type
    ) {
      // Sent again.
      return [];
    }
    const item = this.items.add(source, event);
    const added = { ...event, output_index: item.place, item: blankItem(source) };
    return [
      ...this.leave(item),
      added,
      ...(isPlaceholder(source.arguments) ? [] : contentRest(item, source)),
    ];
  }

  /** The item of an event, begun if its first event is missing. */
  private begun(event: JsonObject, source: JsonObject): { item: BegunItem; added: JsonObject[] } {
    const found = this.items.of(event);
    if (found !== null && (found.type === source.type || found.type === "")) {
      return { item: found, added: this.leave(found) };
    }
    const item = this.items.add(source, event);
    const left = this.leave(item);
    return { item, added: [...left, firstEvent(item, source)] };
  }

  private grow(event: JsonObject): JsonObject[] {
    const ofText = textEvents.get(event.type);
    if (ofText) {
      return this.growText(event, ofText);
    }
    const ofPart = partEvents.get(event.type);
    if (ofPart) {
      return this.growPart(event, ofPart);
    }
    const ofInput = inputEvents.get(event.type);
    if (ofInput) {
      return this.growInput(event, ofInput);
    }
    const item =
      event.item_id === undefined && event.output_index === undefined ? null : this.items.of(event);
    if (item !== null) {
      event.output_index = item.place;
      this.noteAnnotation(item, event);
    }
    return [event];
  }

  private noteAnnotation(item: BegunItem, event: JsonObject): void {
    if (event.type === "response.output_text.annotation.added" && isJsonObject(event.annotation)) {
      const index = indexIn(event.content_index);
      const part = item.parts.get(`content ${index}`);
      if (part) {
        part.annotations++;
      }
    }
  }

  private growText(
    event: JsonObject,
    { list, type, kind, step }: { list: PartList; type: string; kind: string; step: "delta" | "done" },
  ): JsonObject[] {
    const { item, added } = this.begun(event, { type: kind, id: event.item_id });
    const index = indexIn(list === "summary" ? event.summary_index : event.content_index);
    const { part, added: partIsAdded } = partOf(item, { list, index, type });
    event.output_index = item.place;
    const before = [...added, ...partIsAdded];
    if (step === "delta") {
      growPart(item, part, textOf(event.delta));
      return [...before, event];
    }
    const member = memberOf(type);
    const rest = partRest(item, part, { [member]: event[member], logprobs: event.logprobs });
    part.isEnded = true;
    return [...before, ...rest, event];
  }

  private growPart(
    event: JsonObject,
    { list, step }: { list: PartList; step: "added" | "done" },
  ): JsonObject[] {
    const whole = isJsonObject(event.part) ? event.part : {};
    const isSummary = list === "summary" || whole.type === "reasoning_text";
    const kind = isSummary ? "reasoning" : "message";
    const { item, added } = this.begun(event, { type: kind, id: event.item_id });
    const index = indexIn(list === "summary" ? event.summary_index : event.content_index);
    const type = textOf(whole.type) || (list === "summary" ? "summary_text" : "output_text");
    const { part, added: partIsAdded } = partOf(item, { list, index, type });
    event.output_index = item.place;
    if (step === "added") {
      const begun = partIsAdded.length > 0 ? [{ ...event, part: { type, ...blankPart(whole) } }] : [];
      return [...added, ...begun, ...partRest(item, part, whole)];
    }
    const rest = partRest(item, part, whole);
    part.isDone = true;
    event.part = { type, ...whole };
    return [...added, ...partIsAdded, ...rest, ...(part.isEnded ? [] : endOfText(part, whole, item)), event];
  }

  private growInput(
    source: JsonObject,
    { type, step }: { type: string; step: "delta" | "done" },
  ): JsonObject[] {
    // Some vendors send the arguments as an object.
    const event = completeEvent(source);
    const item = this.items.of(event);
    const { member = "arguments" } = inputs[type] ?? {};
    const isBefore = type === "function_call" && item?.scan.state === "blank" && isPlaceholder(source.delta);
    if (item === null || item.type !== type || isBefore) {
      const sent = textOf(event.delta ?? event[member]);
      this.hasUnclaimed ||= item === null && sent.trim() !== "" && !isPlaceholder(sent);
      // The whole item has it, with the call's name; or the arguments follow.
      return [];
    }
    const left = this.leave(item);
    event.output_index = item.place;
    if (step === "delta") {
      const sent = textOf(event.delta);
      // Some vendors repeat all arguments at their end.
      const piece = type === "function_call" ? item.scan.readNew(sent) : sent;
      item.input.read(piece);
      return piece === sent ? [...left, event] : left;
    }
    const rest = inputRest(item, textOf(event[member]));
    item.isInputDone = true;
    return [...left, ...rest, event];
  }

  private finish(event: JsonObject): JsonObject[] {
    if (!isJsonObject(event.item)) {
      return [];
    }
    if (isBlankItem(event.item)) {
      this.hasLeftOut = true;
      return [];
    }
    if (isCallType(textOf(event.item.type)) && textOf(event.item.name) !== "") {
      this.hasUnclaimed = false;
    }
    const { item, added } = this.begun(event, event.item);
    if (item.isDone) {
      return [];
    }
    event.output_index = item.place;
    const rest = contentRest(item, event.item);
    item.last = event;
    return [...added, ...rest, ...(this.isContentMissing(item) ? [] : this.release(item, null))];
  }

  /** Whether a call is not complete, or a message has no text: the final response may have the rest. */
  private isContentMissing({ type, scan, hasText }: BegunItem): boolean {
    return (
      (type === "function_call" && scan.state !== "complete" && scan.state !== "broken") ||
      (type === "message" && !hasText)
    );
  }

  /** The last events of an item. `whole`: from the final response, in place of its last event. */
  private release(item: BegunItem, whole: JsonObject | null): JsonObject[] {
    const sent = isJsonObject(item.last?.item) ? item.last.item : null;
    const last = whole ?? sent;
    const { type, scan } = item;
    if (
      item.isDone ||
      last === null ||
      (type === "function_call" && scan.state === "inside" && !this.isCut)
    ) {
      return [];
    }
    item.isDone = true;
    this.isNameless ||= isCallType(type) && textOf(last.name) === "";
    // Agents fail to parse a blank text.
    const isBlank = type === "function_call" && scan.state === "blank" && !this.isCut;
    const rest = isBlank ? inputRest(item, "{}") : [];
    const done = isBlank ? { ...last, arguments: "{}" } : last;
    const ends = contentEnds(item, done);
    const end = { ...item.last, type: "response.output_item.done", output_index: item.place, item: done };
    item.last = null;
    return [...rest, ...ends, end];
  }

  /** The rest of the items, as the final response has them. */
  private complete({ response }: JsonObject): JsonObject[] {
    const output = objects(isJsonObject(response) ? response.output : []).filter(
      ({ type }) => typeof type === "string",
    );
    const isClaimed = output.some((item) => isCallType(textOf(item.type)) && textOf(item.name) !== "");
    // Arguments without a name, or nothing but such an item: half an answer.
    this.isNameless ||=
      (this.hasUnclaimed && !isClaimed) || (this.hasLeftOut && !this.hasUsable && !output.some(isUsableItem));
    const events = output.flatMap((whole, index) => {
      const found = this.items.match(whole, index);
      const item = found ?? this.items.add(whole, null);
      item.isMatched = true;
      const first = found === null ? [firstEvent(item, whole)] : [];
      return item.isDone ? [] : [...first, ...contentRest(item, whole), ...this.release(item, whole)];
    });
    const rest = this.items.list.flatMap((item) => this.release(item, null));
    return [...events, ...rest];
  }
}

const endOfText = (part: StreamPart, whole: JsonObject, item: BegunItem): JsonObject[] => {
  const isDone = part.isDone;
  part.isDone = true;
  const events = partEnd(item, part, whole);
  part.isDone = isDone;
  return events;
};

const blankPart = (part: JsonObject): JsonObject => ({
  ...part,
  ...(part.text !== undefined && { text: "" }),
  ...(part.refusal !== undefined && { refusal: "" }),
});
