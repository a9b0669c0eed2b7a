import { atOnce } from "@/server/base/turns";
import type { EventText } from "../answers/event-template-cache";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import { ArgumentsScan } from "../tools/arguments-scan";
import { readUpstreamError } from "../upstream-error";
import {
  type AnswerContext,
  type CountedUsage,
  costMember,
  noteFinish,
  noteUsage,
  type StreamReader,
} from "../upstream-plan";
import { countSaid } from "../usage/estimate";
import { countedAs, readCount } from "../usage/usage";
import { parseWithoutPrice } from "../usage/vendor-price";
import {
  completeBlock,
  completeDelta,
  completeUsage,
  countBlock,
  identifyUse,
  typedDelta,
  usualStop,
} from "./answer";
import {
  inputBesideCache,
  mergeUsage,
  promptMembers,
  promptOf,
  readMessagesUsage,
  saidMembers,
} from "./usage";

/** Whether a delta carries anything: some are missing, or are citations without a citation. */
const saysSomething = (delta: unknown): boolean =>
  isJsonObject(delta) && (delta.type !== "citations_delta" || isJsonObject(delta.citation));

const startsBlock = ({ type }: JsonObject): boolean =>
  type === "content_block_start" || type === "content_block_delta";

/** The start of a block that begins with this delta. */
const blockOf = (delta: unknown): JsonObject =>
  isJsonObject(delta) && (delta.type === "thinking_delta" || delta.type === "signature_delta")
    ? { type: "thinking", thinking: "", signature: "" }
    : { type: "text", text: "" };

/** Whether a delta without an index cannot belong to a block of this type. */
const isOtherKind = (kind: unknown, delta: unknown): boolean =>
  (kind === "text" || kind === "thinking") && isJsonObject(delta) && blockOf(delta).type !== kind;

/**
 * Reads an upstream's stream of messages-dialect events. They stay unchanged except for the public model name and for
 * members without which the official SDKs throw. `message_stop` is the end, not an event.
 */
export class MessagesReader implements StreamReader<JsonObject> {
  private readonly context: AnswerContext;
  private usage: JsonObject = {};
  /** The upstream's name of the model. */
  private model: unknown;
  /**
   * How much output (by the gateway's count) the upstream's latest count after the start covers. null: there is no such
   * count.
   */
  private countedUpTo: number | null = null;
  private readonly begun = new Set<number>();
  private readonly open = new Set<number>();
  /** The inputs of calls, by their block. */
  private readonly inputs = new Map<number, ArgumentsScan>();
  /** The index of a block whose own number an earlier block has. */
  private readonly moved = new Map<number, number>();
  /** The highest block index so far. */
  private last = -1;
  /** The type of the latest block at its start. */
  private lastKind: unknown = null;
  private output = 0;
  private reasoning = 0;
  isStarted = false;
  isFinished = false;

  constructor(context: AnswerContext) {
    this.context = context;
  }

  read(data: string, parsed?: unknown): ReturnType<StreamReader<JsonObject>["read"]> {
    if (data.trim() === "") {
      return { kind: "ping" };
    }
    let event: unknown;
    try {
      event = parsed ?? parseWithoutPrice(data);
    } catch {
      // Some gateways in between add the end of the chat dialect.
      return data.trim() === "[DONE]" && this.isStarted ? { kind: "done" } : { kind: "malformed" };
    }
    const words = readUpstreamError(event);
    if (words) {
      return { kind: "error", words };
    }
    if (!isJsonObject(event) || typeof event.type !== "string") {
      return { kind: "malformed" };
    }
    if (event.type === "message_stop") {
      return { kind: "done" };
    }
    if (isJsonObject(event.delta) && event.type === "content_block_delta") {
      event.delta = typedDelta(event.delta);
    }
    const isStart = event.type === "message_start";
    if (isStart && this.isStarted) {
      // It comes late, or again.
      const message = isJsonObject(event.message) ? event.message : {};
      this.usage = mergeUsage(saidMembers(message.usage), this.usage);
    }
    const isBlank = event.type === "content_block_delta" && !saysSomething(event.delta);
    if (event.type === "ping" || (isStart && this.isStarted) || isBlank) {
      return { kind: "ping" };
    }
    if (!isStart && !this.isStarted && !startsBlock(event)) {
      return { kind: "malformed" };
    }
    // A vendor in between has left out the start.
    const started = isStart || this.isStarted ? [] : [this.start({ type: "message_start" })];
    if (
      isJsonObject(event.delta) &&
      event.delta.type === "input_json_delta" &&
      !this.begun.has(this.placeOf(event))
    ) {
      // The start of its block never came.
      return { kind: "malformed" };
    }
    const begun = this.place(event);
    return begun === null
      ? { kind: "ping" }
      : { kind: "events", events: [...started, ...begun, this.follow(event)] };
  }

  /**
   * Gives an event its block index if a vendor in between left it out. Returns the block's start if that is missing,
   * too; null: the event ends a block that never started.
   */
  private place(event: JsonObject): JsonObject[] | null {
    const { type } = event;
    if (type !== "content_block_start" && type !== "content_block_delta" && type !== "content_block_stop") {
      return [];
    }
    const index = this.placeOf(event);
    event.index = index;
    const isBegun = this.begun.has(index);
    this.begun.add(index);
    this.last = Math.max(this.last, index);
    if (type === "content_block_delta" && !isBegun) {
      return [this.follow({ type: "content_block_start", index, content_block: blockOf(event.delta) })];
    }
    return type === "content_block_stop" && !isBegun ? null : [];
  }

  private placeOf({ type, index, delta, content_block: block }: JsonObject): number {
    const number = typeof index === "string" && /^\d{1,4}$/.test(index) ? Number(index) : index;
    if (Number.isInteger(number)) {
      const place = Number(number);
      const isCall = isJsonObject(block) && block.type === "tool_use";
      if (type === "content_block_start" && isCall && this.begun.has(place) && !this.open.has(place)) {
        // A vendor in between numbers every block alike.
        this.moved.set(place, this.last + 1);
      }
      return this.moved.get(place) ?? place;
    }
    const isOther = type === "content_block_delta" && isOtherKind(this.lastKind, delta);
    return type === "content_block_start" || isOther ? this.last + 1 : Math.max(0, this.last);
  }

  private follow(event: JsonObject): JsonObject {
    if (event.type === "message_start") {
      return this.start(event);
    }
    const index = Number(event.index);
    if (event.type === "content_block_start") {
      this.open.add(index);
      const block = atOnce(
        completeBlock(isJsonObject(event.content_block) ? event.content_block : { type: "text", text: "" }),
      );
      event.content_block = identifyUse(block, this.context, index);
      if (block.type === "tool_use") {
        this.inputs.set(index, new ArgumentsScan());
      }
      this.lastKind = block.type;
      this.add(atOnce(countBlock(block)));
    } else if (event.type === "content_block_delta") {
      const delta = completeDelta(isJsonObject(event.delta) ? event.delta : {});
      const input = this.inputs.get(index);
      if (input && typeof delta.partial_json === "string") {
        // Some vendors repeat the whole input at its end.
        delta.partial_json = input.readNew(delta.partial_json);
      }
      event.delta = delta;
      this.countDelta(delta);
    } else if (event.type === "content_block_stop") {
      this.open.delete(index);
    } else if (event.type === "message_delta") {
      this.finish(event);
    }
    return event;
  }

  private start(event: JsonObject): JsonObject {
    const message = isJsonObject(event.message) ? event.message : {};
    this.isStarted = true;
    this.usage = saidMembers(message.usage);
    this.model = message.model;
    this.context.onModel?.(message.model);
    message.usage = completeUsage(message.usage, { inputTokens: this.context.inputTokens, outputTokens: 0 });
    return {
      ...event,
      message: {
        stop_reason: null,
        stop_sequence: null,
        ...message,
        content: Array.isArray(message.content) ? message.content : [],
        type: "message",
        role: "assistant",
        id: textOf(message.id) || this.context.fallbackId,
        model: this.context.model,
      },
    };
  }

  private finish(event: JsonObject): void {
    const usage = saidMembers(event.usage);
    const delivered = this.output + this.reasoning;
    const output = readCount(usage.output_tokens) || readCount(usage.completion_tokens);
    if (output || (output === 0 && delivered === 0)) {
      this.countedUpTo = delivered;
    }
    this.usage = mergeUsage(this.usage, usage);
    noteUsage(this.context, this.usage, promptOf(this.usage) > 0 || this.countedUpTo !== null);
    const delta = isJsonObject(event.delta) ? event.delta : {};
    event.delta = { ...delta, stop_reason: usualStop(delta.stop_reason, this.inputs.size > 0) };
    noteFinish(this.context, delta.stop_reason);
    this.isFinished ||= typeof delta.stop_reason === "string";
    const entries = Object.keys(usage).map((name) => [name, this.usage[name] ?? usage[name]]);
    const input = promptMembers.some((name) => name in usage) ? inputBesideCache(this.usage) : null;
    event.usage = {
      ...Object.fromEntries(entries),
      ...(input !== null && { input_tokens: input }),
      output_tokens: output || this.settled(true).usage.outputTokens,
      ...costMember(this.context, this.settled(true).usage),
    };
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
    this[isReasoning ? "reasoning" : "output"] += countSaid(text);
  }

  private add(counted: { output: number; reasoning: number }): void {
    this.output += counted.output;
    this.reasoning += counted.reasoning;
  }

  private countDelta(delta: JsonObject): void {
    const tokens = (text: unknown) => (typeof text === "string" ? countSaid(text) : 0);
    this.add({
      output: tokens(delta.text) + tokens(delta.partial_json),
      reasoning: tokens(delta.thinking),
    });
  }

  owed(): JsonObject[] {
    const stops = [...this.open].map((index) => ({ type: "content_block_stop", index }));
    if (this.isFinished) {
      return stops;
    }
    const delta = { stop_reason: "end_turn", stop_sequence: null };
    const usage = { output_tokens: this.settled(true).usage.outputTokens };
    return [...stops, { type: "message_delta", delta, usage }];
  }

  settled(isComplete: boolean): CountedUsage {
    const output = Math.ceil(this.output);
    const reasoning = Math.ceil(this.reasoning);
    const estimate = { input: this.context.inputTokens, output, reasoning };
    const counted = countedAs(readMessagesUsage(this.usage, estimate, this.model), estimate);
    // Counts that came before the content are preliminary.
    const isCovered = this.countedUpTo !== null && this.countedUpTo >= this.output + this.reasoning;
    if (counted.source === "estimated" || (isCovered && (isComplete || this.isFinished))) {
      return counted;
    }
    const { usage } = counted;
    // The start counts the prompt; only the end counts the output.
    return {
      ...counted,
      usage: {
        ...usage,
        outputTokens: Math.max(usage.outputTokens, output + reasoning),
        reasoningTokens: reasoning,
      },
      source: "partial",
    };
  }
}
