import { atOnce } from "@/server/base/turns";
import { isForeign, SentEvents } from "../answers/event-json";
import type { EventText } from "../answers/event-template-cache";
import { malformedEnd } from "../answers/malformed-end";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import { finishKind } from "../finish";
import { ArgumentsScan } from "../tools/arguments-scan";
import { isEmptyArguments } from "../tools/call-arguments";
import { readUpstreamError, type UpstreamWords } from "../upstream-error";
import {
  type AnswerContext,
  type CountedUsage,
  noteFinish,
  type StreamError,
  type StreamReader,
} from "../upstream-plan";
import { countSaid } from "../usage/estimate";
import {
  blocksOf,
  completeBlock,
  completeDelta,
  completeUsage,
  countBlock,
  deltaIn,
  identifyUse,
  isCutEnd,
  namedUse,
  saysSomething,
  typedBlock,
  usualStop,
} from "./answer";
import { BlankUses } from "./blank-uses";
import { startsBlock } from "./block-places";
import { BlocksInTurn } from "./blocks-in-turn";
import { StreamUsage, usageIn } from "./stream-usage";
import { blockEvents, inputDelta, splitStart } from "./whole-blocks";

/** A call's input so far. `start`: the input in the start of its block, until a piece of it comes. */
type CallInput = { isNamed: boolean; scan: ArgumentsScan; start: JsonObject | null };

/**
 * Reads an upstream's stream of messages-dialect events. They stay unchanged except for the public model name, for
 * members without which the official SDKs throw, and for texts that come whole. `message_stop` is the end, not an event.
 */
export class MessagesReader implements StreamReader<JsonObject> {
  private readonly context: AnswerContext;
  private readonly soleName: string | null;
  private readonly counts: StreamUsage;
  private readonly blanks = new BlankUses();
  private readonly blocks = new BlocksInTurn(
    (index) => this.isWhole(index),
    (event) => this.blanks.numbered(this.follow(event)),
  );
  private readonly events = new SentEvents();
  /** The inputs of calls, by their block. */
  private readonly inputs = new Map<number, CallInput>();
  /** The blocks in the start of the message, until its events show whether they repeat them. */
  private held: JsonObject[] = [];
  /** The end that the start of the message names. */
  private startEnd: JsonObject = {};
  private isCut = false;
  isStarted = false;
  isFinished = false;

  /** `soleName`: the name of the only tool that a call without a name can mean. */
  constructor(context: AnswerContext, soleName: string | null = null) {
    this.context = context;
    this.soleName = soleName;
    this.counts = new StreamUsage(context);
  }

  get doubt(): UpstreamWords | null {
    return this.events.doubt;
  }

  get failure(): StreamError | null {
    const isHalf = [...this.inputs.values()].some(({ isNamed, scan }) => !isNamed || scan.state === "inside");
    return isHalf && !this.isCut ? malformedEnd(this.context) : null;
  }

  get blockChanges(): number {
    return this.blocks.changes;
  }

  read(data: string, parsed?: unknown): ReturnType<StreamReader<JsonObject>["read"]> {
    if (data.trim() === "[DONE]") {
      // Some gateways in between add the end of the chat dialect.
      return this.events.end({ isReadable: this.isStarted, isFinished: this.isFinished });
    }
    const sent = this.events.read(data, parsed);
    if (sent.kind !== "json") {
      return sent;
    }
    const { value: event } = sent;
    const words = readUpstreamError(event);
    if (words) {
      return { kind: "error", words };
    }
    if (!isJsonObject(event) || typeof event.type !== "string") {
      return { kind: isForeign(event, this.isStarted) ? "ping" : "malformed" };
    }
    if (event.type === "message_stop") {
      this.counts.add(usageIn(event));
      return { kind: "done" };
    }
    return this.readEvent(event.type === "message" ? { type: "message_start", message: event } : event);
  }

  private readEvent(event: JsonObject): ReturnType<StreamReader<JsonObject>["read"]> {
    const isDelta = event.type === "content_block_delta";
    if (isDelta) {
      event.delta = deltaIn(event);
    }
    if (event.type === "content_block_start") {
      event.content_block = typedBlock(event.content_block);
    }
    const isStart = event.type === "message_start";
    if (isStart && this.isStarted) {
      // It comes late, or again.
      this.counts.addEarlier(usageIn(event));
      this.context.onModel?.(isJsonObject(event.message) ? event.message.model : undefined);
    }
    if (event.type === "ping" || (isStart && this.isStarted) || (isDelta && !saysSomething(event.delta))) {
      return { kind: "ping" };
    }
    if (!isStart && !this.isStarted && !startsBlock(event)) {
      return { kind: isForeign(event, false) ? "ping" : "malformed" };
    }
    const held = this.takeHeld(event);
    const placed = this.blocks.read(event);
    if (placed === "lost") {
      // The start of its block never came.
      return { kind: "malformed" };
    }
    if (placed === null && held.length === 0) {
      return { kind: "ping" };
    }
    // A vendor in between has left out the start.
    const started = this.isStarted ? [] : this.follow({ type: "message_start" });
    return { kind: "events", events: [...started, ...held, ...(placed ?? [])] };
  }

  /** Whether a block is not a call, or a complete one. */
  private isWhole(index: number): boolean {
    const input = this.inputs.get(index);
    return input === undefined || input.scan.state === "complete" || input.start !== null;
  }

  /** The blocks in the message's start, unless the stream has events of them. */
  private takeHeld({ type, index }: JsonObject): JsonObject[] {
    const isBlock = startsBlock({ type });
    if (!isBlock && type !== "message_delta") {
      return [];
    }
    const blocks = this.held;
    this.held = [];
    const isRepeated = isBlock && !(typeof index === "number" && index >= blocks.length);
    return isRepeated ? [] : this.wholeBlocks(blocks);
  }

  private wholeBlocks(blocks: JsonObject[]): JsonObject[] {
    return blockEvents(blocks).flatMap((event) => {
      const placed = this.blocks.read(event);
      return Array.isArray(placed) ? placed : [];
    });
  }

  /** An event as its client gets it. */
  private follow(event: JsonObject): JsonObject[] {
    const index = Number(event.index);
    switch (event.type) {
      case "message_start":
        return [this.start(event)];
      case "content_block_start":
        return this.unlessBlank(index, this.begin(event, index));
      case "content_block_delta":
        return this.unlessBlank(index, [this.grow(event, index)]);
      case "content_block_stop":
        return this.finishBlock(event, index);
      case "message_delta": {
        const ends = this.blocks.end();
        this.finish(event);
        return [...ends, event];
      }
      default:
        return [event];
    }
  }

  /** Events of a block; none while it is a call without a name whose input has not begun. */
  private unlessBlank(index: number, events: JsonObject[]): JsonObject[] {
    const input = this.inputs.get(index);
    return input === undefined || input.isNamed
      ? events
      : this.blanks.hold(events, input.scan.state === "blank" && input.start === null);
  }

  private finishBlock(event: JsonObject, index: number): JsonObject[] {
    if (this.blanks.drop()) {
      this.inputs.delete(index);
      return [];
    }
    return [...this.wholeInput(index), event];
  }

  private begin(event: JsonObject, index: number): JsonObject[] {
    const { content_block: sent } = event;
    const source = isJsonObject(sent) ? sent : { type: "text", text: "" };
    const isCall = source.type === "tool_use";
    const named = namedUse(isCall ? { ...source, input: {} } : source, this.soleName);
    const completed = atOnce(completeBlock(named));
    const block = identifyUse(completed, this.context, index);
    if (isCall) {
      const start = inputDelta(index, source);
      this.inputs.set(index, { isNamed: block.name !== "", scan: new ArgumentsScan(), start });
    }
    const [start = event, ...deltas] = splitStart({ ...event, content_block: block }, block);
    this.counts.say(atOnce(countBlock(isJsonObject(start.content_block) ? start.content_block : block)));
    return [start, ...deltas.map((delta) => this.grow(delta, index))];
  }

  private grow(event: JsonObject, index: number): JsonObject {
    const delta = completeDelta(isJsonObject(event.delta) ? event.delta : {});
    const input = this.inputs.get(index);
    if (input && typeof delta.partial_json === "string") {
      // Some vendors begin with an empty object and send the input after it, or repeat the whole input at its end.
      const isEmpty = input.scan.state === "blank" && isEmptyArguments(delta.partial_json);
      delta.partial_json = isEmpty ? "" : input.scan.readNew(delta.partial_json);
      input.start = delta.partial_json === "" ? input.start : null;
    }
    event.delta = delta;
    this.counts.sayDelta(delta);
    return event;
  }

  /** The input of a call whose pieces never came. */
  private wholeInput(index: number): JsonObject[] {
    const start = this.inputs.get(index)?.start ?? null;
    return start === null ? [] : [this.grow(start, index)];
  }

  private start(event: JsonObject): JsonObject {
    const message = isJsonObject(event.message) ? event.message : {};
    const usage = usageIn(event);
    this.isStarted = true;
    this.held = blocksOf(message.content) ?? [];
    if (this.held.length > 0 && finishKind(message.stop_reason) !== null) {
      this.isFinished = true;
      this.startEnd = {
        stop_reason: message.stop_reason,
        stop_sequence: message.stop_sequence ?? null,
        usage,
      };
    }
    this.counts.start(usage, message.model);
    this.context.onModel?.(message.model);
    // The counts are in the message.
    const { usage: _usage, ...sent } = event;
    return {
      ...sent,
      message: {
        ...message,
        usage: completeUsage(usage, { inputTokens: this.context.inputTokens, outputTokens: 0 }),
        ...{ stop_reason: null, stop_sequence: null, content: [], type: "message", role: "assistant" },
        id: textOf(message.id) || this.context.fallbackId,
        model: this.context.model,
      },
    };
  }

  private finish(event: JsonObject): void {
    const usage = usageIn(event);
    this.counts.add(usage);
    const { usage: _usage, ...sent } = isJsonObject(event.delta) ? event.delta : {};
    // Some vendors leave that level out.
    const delta: JsonObject = { ...sent, stop_reason: sent.stop_reason ?? event.stop_reason };
    event.delta = { ...delta, stop_reason: usualStop(delta.stop_reason, this.inputs.size > 0) };
    noteFinish(this.context, delta.stop_reason);
    this.isFinished ||= finishKind(delta.stop_reason) !== null;
    this.isCut ||= isCutEnd(delta.stop_reason);
    if (isJsonObject(event.message)) {
      const { usage: _counts, ...message } = event.message;
      event.message = message;
    }
    event.usage = this.counts.lastUsage(usage);
  }

  textOf(event: JsonObject): EventText | null {
    const delta = event.type === "content_block_delta" && isJsonObject(event.delta) ? event.delta : {};
    const texts = [delta.text, delta.thinking].filter((text) => text !== undefined);
    const [text] = texts;
    // Whether a piece of a call's input is new depends on the pieces before it.
    const isOnly = texts.length === 1 && delta.partial_json === undefined;
    return typeof text === "string" && text !== "" && isOnly
      ? { text, isReasoning: text === delta.thinking }
      : null;
  }

  count({ text, isReasoning }: EventText): void {
    const tokens = countSaid(text);
    this.counts.say(isReasoning ? { output: 0, reasoning: tokens } : { output: tokens, reasoning: 0 });
  }

  owed(): JsonObject[] {
    const blocks = [...this.wholeBlocks(this.held.splice(0)), ...this.blocks.end()];
    const { usage, ...end } = this.startEnd;
    if (usage !== undefined) {
      const event = { type: "message_delta", delta: end, usage };
      this.finish(event);
      return [...blocks, event];
    }
    if (this.isFinished) {
      return blocks;
    }
    const delta = { stop_reason: usualStop("end_turn", this.inputs.size > 0), stop_sequence: null };
    const counted = this.settled(true).usage;
    return [...blocks, { type: "message_delta", delta, usage: { output_tokens: counted.outputTokens } }];
  }

  settled(isComplete: boolean): CountedUsage {
    return this.counts.settled({ isComplete, isFinished: this.isFinished });
  }
}
