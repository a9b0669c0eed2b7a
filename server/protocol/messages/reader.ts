import { countTokens } from "../estimate";
import type { AnswerContext, Counted, StreamReader } from "../exchange";
import { type Fields, isFields } from "../fields";
import { readUpstreamError } from "../upstream-error";
import { estimatedUsage } from "../usage";
import { completeUsage, countBlock } from "./answer";
import { readMessagesUsage } from "./usage";

/** Members that say something: a vendor's later event may leave out, or send as null, what an earlier one said. */
const said = (fields: unknown): Fields =>
  Object.fromEntries(
    Object.entries(isFields(fields) ? fields : {}).filter(
      ([, value]) => value !== null && value !== undefined,
    ),
  );

const PING: Fields = { type: "ping" };

/**
 * An upstream's stream of messages-dialect events, as they are but for the public model name and for members without
 * which the official SDKs throw. `message_stop` is the end, not an event.
 */
export class MessagesReader implements StreamReader<Fields> {
  private readonly context: AnswerContext;
  /** Every usage member so far, the latest of each: they are totals, never increments. */
  private usage: Fields | null = null;
  private hasFinalUsage = false;
  private readonly open = new Set<number>();
  private output = 0;
  private reasoning = 0;
  isFinished = false;

  constructor(context: AnswerContext) {
    this.context = context;
  }

  get isStarted(): boolean {
    return this.usage !== null;
  }

  read(data: string): ReturnType<StreamReader<Fields>["read"]> {
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      // Some gateways in between add the other dialect's end.
      return data === "[DONE]" && this.isStarted ? { kind: "done" } : { kind: "malformed" };
    }
    const words = readUpstreamError(event);
    if (words) {
      return { kind: "error", words };
    }
    if (!isFields(event) || typeof event.type !== "string") {
      return { kind: "malformed" };
    }
    if (event.type === "message_stop") {
      return { kind: "done" };
    }
    if (event.type !== "message_start" && event.type !== "ping" && !this.isStarted) {
      return { kind: "malformed" };
    }
    return { kind: "event", event: this.follow(event) };
  }

  private follow(event: Fields): Fields {
    if (event.type === "message_start") {
      return this.isStarted ? PING : this.start(event);
    }
    const index = Number(event.index);
    if (event.type === "content_block_start") {
      this.open.add(index);
      this.count(countBlock(isFields(event.content_block) ? event.content_block : {}));
    } else if (event.type === "content_block_delta") {
      this.countDelta(isFields(event.delta) ? event.delta : {});
    } else if (event.type === "content_block_stop") {
      this.open.delete(index);
    } else if (event.type === "message_delta") {
      this.finish(event);
    }
    return event;
  }

  private start(event: Fields): Fields {
    const message = isFields(event.message) ? event.message : {};
    message.usage = completeUsage(message.usage, this.context.inputTokens);
    this.usage = said(message.usage);
    return {
      ...event,
      message: {
        type: "message",
        role: "assistant",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        ...message,
        id: message.id || this.context.fallbackId,
        model: this.context.model,
      },
    };
  }

  private finish(event: Fields): void {
    const usage = said(event.usage);
    this.hasFinalUsage ||= typeof usage.output_tokens === "number";
    this.usage = { ...this.usage, ...usage };
    const delta = isFields(event.delta) ? event.delta : {};
    this.isFinished ||= typeof delta.stop_reason === "string";
    event.usage = { ...usage, output_tokens: usage.output_tokens ?? Math.ceil(this.output + this.reasoning) };
  }

  private count(counted: { output: number; reasoning: number }): void {
    this.output += counted.output;
    this.reasoning += counted.reasoning;
  }

  private countDelta(delta: Fields): void {
    const tokens = (text: unknown) => (typeof text === "string" ? countTokens(text) : 0);
    this.count({
      output: tokens(delta.text) + tokens(delta.partial_json),
      reasoning: tokens(delta.thinking),
    });
  }

  owed(): Fields[] {
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
    const usage = readMessagesUsage(this.usage, reasoning);
    if (!usage) {
      return {
        usage: estimatedUsage({ input: this.context.inputTokens, output, reasoning }),
        source: "estimated",
      };
    }
    if (this.hasFinalUsage && (isComplete || this.isFinished)) {
      return { usage, source: "upstream" };
    }
    // The start counts the prompt; what came after it, only the end.
    return {
      usage: {
        ...usage,
        outputTokens: Math.max(usage.outputTokens, output + reasoning),
        reasoningTokens: reasoning,
      },
      source: "partial",
    };
  }
}
