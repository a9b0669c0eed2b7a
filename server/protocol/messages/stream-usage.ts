import { isJsonObject, type JsonObject } from "../fields";
import { type AnswerContext, type CountedUsage, costMember, noteUsage } from "../upstream-plan";
import { countSaid, type SaidTokens } from "../usage/estimate";
import { countedAs, readCount } from "../usage/usage";
import {
  inputBesideCache,
  mergeUsage,
  promptMembers,
  promptOf,
  readMessagesUsage,
  saidMembers,
} from "./usage";

/** The usage object of an event; some vendors send it in the delta, or beside the message that it belongs to. */
export function usageIn({ usage, delta, message }: JsonObject): JsonObject {
  const inner = [message, delta].map((holder) => (isJsonObject(holder) ? holder.usage : undefined));
  return saidMembers([usage, ...inner].find(isJsonObject));
}

/** The counts of a stream: the vendor's, merged from its events, and the gateway's own. */
export class StreamUsage {
  private readonly context: AnswerContext;
  private usage: JsonObject = {};
  /** The upstream's name of the model. */
  private model: unknown;
  /**
   * How much output (by the gateway's count) the upstream's latest count after the start covers. null: there is no such
   * count.
   */
  private countedUpTo: number | null = null;
  private output = 0;
  private reasoning = 0;

  constructor(context: AnswerContext) {
    this.context = context;
  }

  start(usage: JsonObject, model: unknown): void {
    this.usage = usage;
    this.model = model;
  }

  /** Adds the counts of a start that comes late. */
  addEarlier(usage: JsonObject): void {
    this.usage = mergeUsage(usage, this.usage);
  }

  /** Adds the counts of a later event. */
  add(usage: JsonObject): void {
    const delivered = this.output + this.reasoning;
    const output = readCount(usage.output_tokens) || readCount(usage.completion_tokens);
    if (output || (output === 0 && delivered === 0)) {
      this.countedUpTo = delivered;
    }
    this.usage = mergeUsage(this.usage, usage);
  }

  /** Counts the text of a block, or of a delta. */
  say({ output, reasoning }: SaidTokens): void {
    this.output += output;
    this.reasoning += reasoning;
  }

  sayDelta(delta: JsonObject): void {
    const tokens = (text: unknown) => (typeof text === "string" ? countSaid(text) : 0);
    this.say({
      output: tokens(delta.text) + tokens(delta.partial_json),
      reasoning: tokens(delta.thinking),
    });
  }

  /** The usage object of the last event, for its client. `usage`: the upstream's. */
  lastUsage(usage: JsonObject): JsonObject {
    noteUsage(this.context, this.usage, promptOf(this.usage) > 0 || this.countedUpTo !== null);
    const entries = Object.keys(usage).map((name) => {
      const value = this.usage[name] ?? usage[name];
      // SDKs add counts up, and would join texts.
      return [name, typeof value === "string" ? (readCount(value) ?? value) : value];
    });
    const input = promptMembers.some((name) => name in usage) ? inputBesideCache(this.usage) : null;
    const counted = this.settled({ isComplete: true, isFinished: true }).usage;
    const output = readCount(usage.output_tokens) || readCount(usage.completion_tokens);
    return {
      ...Object.fromEntries(entries),
      ...(input !== null && { input_tokens: input }),
      output_tokens: output || counted.outputTokens,
      ...costMember(this.context, counted),
    };
  }

  settled({ isComplete, isFinished }: { isComplete: boolean; isFinished: boolean }): CountedUsage {
    const output = Math.ceil(this.output);
    const reasoning = Math.ceil(this.reasoning);
    const estimate = { input: this.context.inputTokens, output, reasoning };
    const counted = countedAs(readMessagesUsage(this.usage, estimate, this.model), estimate);
    // Counts that came before the content are preliminary.
    const isCovered = this.countedUpTo !== null && this.countedUpTo >= this.output + this.reasoning;
    if (counted.source === "estimated" || (isCovered && (isComplete || isFinished))) {
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
