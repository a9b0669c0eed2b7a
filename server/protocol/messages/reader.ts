import { countTokens } from "../estimate";
import { isJsonObject, type JsonObject, textOf } from "../fields";
import type { EventText } from "../repetition";
import { readUpstreamError } from "../upstream-error";
import {
  type AnswerContext,
  type Counted,
  costMember,
  noteFinish,
  type StreamReader,
} from "../upstream-plan";
import { countedAs, readCount } from "../usage";
import { parseWithoutPrice } from "../vendor-price";
import { completeBlock, completeDelta, completeUsage, countBlock } from "./answer";
import { promptOf, readMessagesUsage } from "./usage";

/** Members that say something: a vendor's later event may leave out, or send as null, what an earlier one said. */
const said = (fields: unknown): JsonObject =>
  Object.fromEntries(
    Object.entries(isJsonObject(fields) ? fields : {}).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  );

const inputMembers = [
  "input_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "cache_creation",
] as const;

/** A delta that is none, or a citation of nothing. */
const saysSomething = (delta: unknown): boolean =>
  isJsonObject(delta) && (delta.type !== "citations_delta" || isJsonObject(delta.citation));

const isZero = (value: unknown): boolean =>
  isJsonObject(value) ? Object.values(value).every(isZero) : readCount(value) === 0;

/**
 * The usage members so far and those of a later event, of which the later ones count: they are totals, never
 * increments. But where the later prompt is smaller than the one before, its zeros are members that nobody filled in,
 * and so is an output of zero after a count of it. A prompt that comes with `iterations` is complete in itself: what
 * the start counted, a compaction's prompt, is listed among them, and its cache would else be charged twice.
 */
function mergeUsage(earlier: JsonObject, later: JsonObject): JsonObject {
  const isComplete = Array.isArray(later.iterations) && promptOf(later) > 0;
  const merged = { ...(isComplete ? {} : earlier), ...later };
  const isSmaller = promptOf(later) < promptOf(earlier) && !isComplete;
  const unfilled = [...(isSmaller ? inputMembers : []), "output_tokens"].filter(
    (name) => isZero(later[name]) && earlier[name] !== undefined,
  );
  for (const name of unfilled) {
    merged[name] = earlier[name];
  }
  return merged;
}

/**
 * An upstream's stream of messages-dialect events, as they are but for the public model name and for members without
 * which the official SDKs throw. `message_stop` is the end, not an event.
 */
export class MessagesReader implements StreamReader<JsonObject> {
  private readonly context: AnswerContext;
  private usage: JsonObject = {};
  /** As the upstream names it. */
  private model: unknown;
  /** The output, by our own count, up to which the upstream has counted its own after the start. null: it has not. */
  private countedUpTo: number | null = null;
  private readonly open = new Set<number>();
  private output = 0;
  private reasoning = 0;
  isStarted = false;
  isFinished = false;

  constructor(context: AnswerContext) {
    this.context = context;
  }

  read(data: string): ReturnType<StreamReader<JsonObject>["read"]> {
    if (data.trim() === "") {
      return { kind: "ping" };
    }
    let event: unknown;
    try {
      event = parseWithoutPrice(data);
    } catch {
      // Some gateways in between add the other dialect's end.
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
    const isStart = event.type === "message_start";
    const isBlank = event.type === "content_block_delta" && !saysSomething(event.delta);
    if (event.type === "ping" || (isStart && this.isStarted) || isBlank) {
      return { kind: "ping" };
    }
    if (!isStart && !this.isStarted) {
      return { kind: "malformed" };
    }
    return { kind: "events", events: [this.follow(event)] };
  }

  private follow(event: JsonObject): JsonObject {
    if (event.type === "message_start") {
      return this.start(event);
    }
    const index = Number(event.index);
    if (event.type === "content_block_start") {
      this.open.add(index);
      const block = completeBlock(
        isJsonObject(event.content_block) ? event.content_block : { type: "text", text: "" },
      );
      event.content_block = block;
      this.add(countBlock(block));
    } else if (event.type === "content_block_delta") {
      const delta = completeDelta(isJsonObject(event.delta) ? event.delta : {});
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
    this.usage = said(message.usage);
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
    const usage = said(event.usage);
    const delivered = this.output + this.reasoning;
    const output = readCount(usage.output_tokens);
    if (output || (output === 0 && delivered === 0)) {
      this.countedUpTo = delivered;
    }
    this.usage = mergeUsage(this.usage, usage);
    const delta = isJsonObject(event.delta) ? event.delta : {};
    event.delta = delta.stop_reason === undefined ? { stop_reason: null, ...delta } : delta;
    noteFinish(this.context, delta.stop_reason);
    this.isFinished ||= typeof delta.stop_reason === "string";
    const told = Object.keys(usage).map((name) => [name, this.usage[name]]);
    event.usage = {
      ...Object.fromEntries(told),
      output_tokens: output || this.settled(true).usage.outputTokens,
      ...costMember(this.context, this.settled(true).usage),
    };
  }

  textOf(event: JsonObject): EventText | null {
    const delta = event.type === "content_block_delta" && isJsonObject(event.delta) ? event.delta : {};
    const texts = [delta.text, delta.partial_json, delta.thinking].filter((text) => text !== undefined);
    const [text] = texts;
    return typeof text === "string" && text !== "" && texts.length === 1
      ? { text, isReasoning: text === delta.thinking }
      : null;
  }

  count({ text, isReasoning }: EventText): void {
    this[isReasoning ? "reasoning" : "output"] += countTokens(text);
  }

  private add(counted: { output: number; reasoning: number }): void {
    this.output += counted.output;
    this.reasoning += counted.reasoning;
  }

  private countDelta(delta: JsonObject): void {
    const tokens = (text: unknown) => (typeof text === "string" ? countTokens(text) : 0);
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

  settled(isComplete: boolean): Counted {
    const output = Math.ceil(this.output);
    const reasoning = Math.ceil(this.reasoning);
    const estimate = { input: this.context.inputTokens, output, reasoning };
    const counted = countedAs(readMessagesUsage(this.usage, estimate, this.model), estimate);
    // Counts that came before the content are a beginning, not the bill.
    const isCovered = this.countedUpTo !== null && this.countedUpTo >= this.output + this.reasoning;
    if (counted.source === "estimated" || (isCovered && (isComplete || this.isFinished))) {
      return counted;
    }
    const { usage } = counted;
    // The start counts the prompt; what came after it, only the end.
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
