import { atOnce } from "@/server/base/turns";
import { WaitingEvents } from "../answers/waiting-events";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import type { AnswerEvent, AnswerEvents } from "../pivot/answer";
import { readLogprobs } from "../pivot/logprobs";
import { isObjectText } from "../tools/call-arguments";
import type { ToolNames } from "../tools/tool-names";
import { argumentsOf, clientsName, isCall, readStop } from "./answer-in";
import { ItemBlocks } from "./item-blocks";
import { escaped, hasCalled, kindByEvent, kindOf, type StreamItem } from "./item-stream";

/** The most events of other items that wait while a call is open. Above it, the call counts as ended. */
const MAX_WAITING = 10_000;

/** Turns events of a Responses stream into the pivot's events, without the work of the vendor's own tools. */
export class ResponsesEvents implements AnswerEvents<JsonObject> {
  private readonly names: ToolNames;
  private readonly blocks = new ItemBlocks();
  private isStarted = false;
  private item: StreamItem | null = null;
  /** Events of items that began before the current call was complete. */
  private readonly waiting = new WaitingEvents<JsonObject>();
  private isResuming = false;
  /** Items that were ended before their last event, by their position: whether some of the item has been passed on. */
  private readonly passed = new Map<number, boolean>();
  private hasItems = false;
  private isBroken = false;
  private response: JsonObject = {};

  /** `names`: the upstream names of the request's tools. */
  constructor(names: ToolNames) {
    this.names = names;
  }

  read(event: JsonObject): AnswerEvent[] {
    const response = isJsonObject(event.response) ? event.response : null;
    this.start(response);
    if (response === null) {
      this.take(event);
    } else if (event.type === "response.completed" || event.type === "response.incomplete") {
      this.finish(response);
    }
    return this.blocks.take();
  }

  end(): AnswerEvent[] | null {
    this.start(null);
    this.finish(this.response);
    const stop = readStop(this.response, { hasRefused: this.blocks.hasRefused });
    if (stop === null || (this.isBroken && this.response.status !== "incomplete")) {
      return null;
    }
    this.blocks.push({ type: "stop", ...stop });
    return this.blocks.take();
  }

  private start(response: JsonObject | null): void {
    if (!this.isStarted) {
      this.isStarted = true;
      this.blocks.push({ type: "start", id: textOf(response?.id) });
    }
  }

  private take(event: JsonObject): void {
    const place = typeof event.output_index === "number" ? event.output_index : (this.item?.place ?? 0);
    if (this.item !== null && this.item.place !== place) {
      this.waiting.add(place, event);
      this.passIfOver(this.item, event);
      this.resume();
      return;
    }
    switch (event.type) {
      case "response.output_item.added":
        this.begin(place, isJsonObject(event.item) ? event.item : {});
        return;
      case "response.output_item.done":
        this.complete(place, isJsonObject(event.item) ? event.item : {});
        this.resume();
        return;
      default:
        this.continue(place, event);
    }
  }

  /**
   * Ends an item without its last event, which some vendors leave out: the next item's first event shows that it has
   * ended.
   */
  private pass(item: StreamItem): void {
    this.passed.set(item.place, item.hasSaid || item.kind === "call");
    this.blocks.endCall(item);
    this.isBroken ||= !atOnce(isObjectText(item.argumentPieces.join("")));
    this.blocks.close();
    this.item = null;
  }

  /** Ends the item if the event that follows it shows that it has ended, or if too many events wait for its end. */
  private passIfOver(item: StreamItem, { type }: JsonObject): void {
    const isFull = this.waiting.count > MAX_WAITING;
    if (isFull || (type === "response.output_item.added" && hasCalled(item))) {
      this.pass(item);
    }
  }

  /** Takes the events that waited, up to an item that has not ended. */
  private resume(): void {
    if (this.isResuming) {
      return;
    }
    this.isResuming = true;
    for (let next = this.waiting.first; next !== undefined; next = this.waiting.first) {
      if (this.item !== null) {
        this.passIfOver(this.item, next);
      }
      if (this.item !== null) {
        break;
      }
      for (const event of this.waiting.take()) {
        this.take(event);
      }
    }
    this.isResuming = false;
  }

  private begin(place: number, item: JsonObject): StreamItem {
    this.hasItems = true;
    const begun: StreamItem = {
      place,
      kind: kindOf(item),
      part: "",
      hasSaid: false,
      argumentPieces: [],
      isAsked: false,
    };
    this.item = begun;
    if (begun.kind === "call") {
      this.beginCall(begun, item);
    }
    return begun;
  }

  private beginCall(begun: StreamItem, item: JsonObject): void {
    const name = clientsName(item, this.names);
    if (name === null) {
      this.isBroken = true;
      begun.kind = "other";
      return;
    }
    this.blocks.open(begun, textOf(item.type), { type: "call", id: textOf(item.call_id), name });
  }

  private continue(place: number, event: JsonObject): void {
    if (event.type === "response.output_text.annotation.added") {
      if (this.item !== null) {
        const annotation = isJsonObject(event.annotation) ? event.annotation : {};
        this.blocks.cite(this.item, annotation, event.content_index);
      }
      return;
    }
    const delta = textOf(event.delta);
    const kind = kindByEvent(event);
    const logprobs = atOnce(readLogprobs(event.logprobs));
    if ((delta === "" && logprobs.length === 0) || (this.item === null && kind === undefined)) {
      return;
    }
    const item = this.item ?? this.begin(place, { type: kind });
    if (item.kind === "other" && kind !== undefined) {
      // The item's first event has no type, or one that only its vendor knows.
      item.kind = kind;
    }
    switch (event.type) {
      case "response.output_text.delta":
        this.blocks.say(item, { type: "text", text: delta, place: event.content_index, logprobs });
        return;
      case "response.refusal.delta":
        this.blocks.say(item, { type: "refusal", text: delta, place: event.content_index });
        return;
      case "response.reasoning_summary_text.delta":
        this.blocks.think(item, delta, `summary ${event.summary_index}`);
        return;
      case "response.reasoning_text.delta":
        this.blocks.think(item, delta, `content ${event.content_index}`);
        return;
      case "response.function_call_arguments.delta":
        if (item.part === "function_call") {
          this.blocks.grow(item, delta);
        }
        return;
      case "response.custom_tool_call_input.delta":
        if (item.part === "custom_tool_call") {
          this.blocks.grow(item, (item.hasSaid ? "" : '{"input":"') + escaped(delta));
        }
    }
  }

  /** Any part of the item without an event so far is passed on now. */
  private complete(place: number, wholeItem: JsonObject, isLast = false): void {
    if (this.item === null && this.passed.get(place)) {
      return;
    }
    const item = this.item ?? this.begin(place, wholeItem);
    if (!isLast && item.kind === "call" && !item.hasSaid && atOnce(argumentsOf(wholeItem)).trim() === "") {
      item.isDone = true;
      return;
    }
    if (item.kind === "message") {
      this.blocks.completeMessage(item, wholeItem);
    } else if (item.kind === "reasoning") {
      this.blocks.completeReasoning(item, wholeItem);
    } else if (item.kind === "call") {
      this.completeCall(item, wholeItem);
    }
    this.blocks.close();
    this.item = null;
  }

  private completeCall(item: StreamItem, wholeItem: JsonObject): void {
    const argumentText = atOnce(argumentsOf(wholeItem));
    this.isBroken ||= isCall(wholeItem) && !atOnce(isObjectText(argumentText));
    if (!item.hasSaid) {
      this.blocks.grow(item, isCall(wholeItem) ? argumentText : "");
    } else {
      this.blocks.endCall(item);
    }
  }

  /** Some vendors leave out an item's last event, or all events but the last. */
  private finish(response: JsonObject): void {
    const output = objects(response.output);
    this.response = response;
    if (!this.hasItems) {
      output.forEach((item, place) => void this.complete(place, item, true));
    }
    this.completePassed(output);
    while (this.item !== null) {
      const { place, part } = this.item;
      const same = output[place];
      const isSame = same !== undefined && (part === "" || !isCall(same) || same.type === part);
      this.complete(place, isSame ? same : {}, true);
      this.resume();
    }
    this.completePassed(output);
  }

  /** Adds passed items whose own events had no content, if the current item has passed on nothing either. */
  private completePassed(output: JsonObject[]): void {
    const last = this.item;
    if (last?.hasSaid || last?.kind === "call") {
      return;
    }
    this.item = null;
    for (const [place, hasSaid] of this.passed) {
      const item = output[place];
      if (!hasSaid && item !== undefined) {
        this.passed.delete(place);
        this.complete(place, item);
      }
    }
    this.item = last;
  }
}
