import { SentEvents } from "../answers/event-json";
import type { EventText } from "../answers/event-template-cache";
import { malformedEnd } from "../answers/malformed-end";
import type { ChatHabits } from "../capabilities";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { readStatedError, type UpstreamWords } from "../upstream-error";
import {
  type AnswerContext,
  type CountedUsage,
  noteUsage,
  type StreamError,
  type StreamReader,
} from "../upstream-plan";
import { findChatUsage, laterCounts } from "../usage/chat-usage";
import { countSaid } from "../usage/estimate";
import { type ChatCounts, countedAs, type Estimate, hasCounts, reportedUsage } from "../usage/usage";
import { BrokenChoices, ChoiceNumbers, choicesOf, indexOf, isChunk, MAX_CHOICES } from "./choices";
import { createdAt } from "./normalise";
import { addChoices } from "./response-text";
import { StreamedChoice } from "./streamed-choice";
import { ThinkTags } from "./think-tags";
import type { OfferedNames } from "./tool-calls";

const MAX_PREFACES = 8;

/**
 * Reads an upstream's stream of chat chunks. Its events are chunks under the public model name, with one `id` and
 * `created` for all of them, vendors' spellings brought to spec 2.2, every tool call numbered, and usage, if any, in
 * the chunk's own `usage`. Keeps unknown members.
 */
export class ChatReader implements StreamReader<JsonObject> {
  private readonly context: AnswerContext;
  private head: JsonObject = {};
  private readonly prefaces: JsonObject[] = [];
  private readonly habits: ChatHabits;
  private counts: ChatCounts | null = null;
  /** The latest count of output: whether it came with the end, and how much output (by our own count) preceded it. */
  private counted = { isFinal: false, upTo: 0 };
  private readonly choices = new Map<number, StreamedChoice>();
  private output = 0;
  private reasoning = 0;
  isCounted = false;

  private readonly events = new SentEvents();
  private readonly tools: OfferedNames;
  private readonly numbers: ChoiceNumbers;
  private readonly broken: BrokenChoices;

  /** `choices`: the number that the client asked for. */
  constructor(
    context: AnswerContext,
    {
      reasoningTokens = "included",
      thinkTags = false,
      isTool = () => true,
      soleName = null,
      choices = 1,
    }: Partial<ChatHabits & OfferedNames> & { choices?: number } = {},
  ) {
    this.context = context;
    this.habits = { reasoningTokens, thinkTags };
    this.tools = { isTool, soleName };
    this.numbers = new ChoiceNumbers(choices);
    this.broken = new BrokenChoices(choices);
  }

  get isStarted(): boolean {
    return this.head.id !== undefined;
  }

  get isFinished(): boolean {
    return this.choices.size > 0 && [...this.choices.values()].every((choice) => choice.isFinished);
  }

  get doubt(): UpstreamWords | null {
    return this.events.doubt;
  }

  get failure(): StreamError | null {
    const isUnusable = [...this.choices.values()].some((choice) => choice.isUnusable);
    return isUnusable ? malformedEnd(this.context) : null;
  }

  read(data: string, parsed?: unknown): ReturnType<StreamReader<JsonObject>["read"]> {
    const text = data.trim();
    if (text === "[DONE]") {
      // An end without any choice is the end of events that the gateway does not understand.
      return this.events.end({ isReadable: this.choices.size > 0, isFinished: this.isFinished });
    }
    const sent = this.events.read(data, parsed);
    if (sent.kind !== "json") {
      return sent;
    }
    const { value: chunk } = sent;
    const words = readStatedError(chunk);
    if (words) {
      return { kind: "error", words };
    }
    if (isJsonObject(chunk)) {
      addChoices(chunk, "delta");
      this.numbers.number(choicesOf(chunk));
    }
    const failed = isJsonObject(chunk) ? this.broken.read(chunk, this.choices.keys()) : null;
    if (failed !== null) {
      return { kind: "error", words: failed };
    }
    if (!isJsonObject(chunk) || (chunk.choices !== undefined && typeof chunk.choices !== "object")) {
      return { kind: "malformed" };
    }
    if (!isChunk(chunk)) {
      return { kind: "ping" };
    }
    if (this.isPreface(chunk)) {
      this.prefaces.push(chunk);
      return { kind: "events", events: [] };
    }
    // Held chunks take the identity of the first chunk of the answer.
    this.normalise(chunk);
    if (this.isTooMuch) {
      return { kind: "malformed" };
    }
    if (chunk.usage && this.isFinished) {
      this.events.ended(data);
    }
    const waited = this.prefaces.splice(0).map((preface) => this.normalise(preface));
    return { kind: "events", events: [...waited, chunk] };
  }

  textOf(chunk: JsonObject): EventText | null {
    const [choice, ...others] = objects(chunk.choices);
    const isBare = choice !== undefined && others.length === 0 && chunk.usage === undefined && this.isPlain;
    const delta = isBare && choice.finish_reason === null && isJsonObject(choice.delta) ? choice.delta : null;
    if (delta === null || delta.refusal || delta.tool_calls || delta.function_call) {
      return null;
    }
    const { content, reasoning_content: reasoning } = delta;
    const text = content || reasoning;
    return typeof text === "string" && text !== "" && !(content && reasoning)
      ? { text, isReasoning: !content }
      : null;
  }

  count({ text, isReasoning }: EventText): void {
    this[isReasoning ? "reasoning" : "output"] += countSaid(text);
  }

  /** The answer is finished, and its client waits for the reason of its end. */
  private get owesEnd(): boolean {
    return this.isFinished && [...this.choices.values()].some((choice) => choice.owesEnd);
  }

  private get isPlain(): boolean {
    return [...this.choices.values()].every((choice) => choice.isPlain);
  }

  private get isTooMuch(): boolean {
    const { choices } = this;
    return choices.size > MAX_CHOICES || [...choices.values()].some((choice) => choice.isTooMuch);
  }

  /**
   * Azure starts with the result of its prompt filter, under an empty id. It waits for the first chunk of the answer,
   * whose id is the stream's. The reader holds up to MAX_PREFACES such chunks.
   */
  private isPreface(chunk: JsonObject): boolean {
    const isBare = !chunk.id && !chunk.usage && objects(chunk.choices).length === 0;
    return !this.isStarted && isBare && this.prefaces.length < MAX_PREFACES;
  }

  private normalise(chunk: JsonObject): JsonObject {
    const { model, fallbackId, now } = this.context;
    this.context.onModel?.(chunk.model);
    chunk.model = model;
    chunk.object = "chat.completion.chunk";
    // The same in every chunk, though some vendors change it (Groq's compound models send a new id in each chunk).
    chunk.id = this.head.id ?? (textOf(chunk.id) || fallbackId);
    chunk.created = this.head.created ?? createdAt(chunk.created, now);
    this.head = { id: chunk.id, object: chunk.object, created: chunk.created, model };
    const choices = choicesOf(chunk);
    chunk.choices = choices;
    for (const choice of choices) {
      this.readChoice(choice);
    }
    this.readUsage(chunk, choices);
    return chunk;
  }

  private readChoice(choice: JsonObject): void {
    const index = indexOf(choice);
    choice.index = index;
    let streamed = this.choices.get(index);
    if (!streamed) {
      const tags = this.habits.thinkTags ? new ThinkTags() : null;
      streamed = new StreamedChoice(this.context, { index, tools: this.tools, tags });
      this.choices.set(index, streamed);
    }
    const { output, reasoning } = streamed.read(choice);
    this.output += output;
    this.reasoning += reasoning;
  }

  /** Takes the usage of the first place that has counts. Usage without counts is still removed from the answer. */
  private readUsage(chunk: JsonObject, choices: JsonObject[]): void {
    const { usage, counts } = findChatUsage(chunk, choices, this.habits.reasoningTokens);
    for (const choice of choices) {
      delete choice.usage;
    }
    delete chunk.usage;
    if (usage !== undefined) {
      chunk.usage = usage;
    }
    noteUsage(this.context, usage, counts !== null);
    this.isCounted = choices.length === 0 && this.owesEnd && (this.isCounted || hasCounts(usage));
    if (!counts) {
      return;
    }
    this.counts = laterCounts(this.counts, counts);
    const upTo = this.output + this.reasoning;
    if (counts.completion || (counts.completion === 0 && upTo === 0)) {
      this.counted = { isFinal: this.isFinished || choices.length === 0, upTo };
    }
  }

  owed(): JsonObject[] {
    return [...this.choices.values()].flatMap((choice) => {
      const owed = choice.owed();
      return owed ? [{ ...this.head, choices: [owed] }] : [];
    });
  }

  private estimate(): Estimate {
    return {
      input: this.context.inputTokens,
      output: Math.ceil(this.output),
      reasoning: Math.ceil(this.reasoning),
    };
  }

  settled(isComplete: boolean): CountedUsage {
    const estimate = this.estimate();
    const counted = countedAs(reportedUsage(this.counts, estimate), estimate);
    // Usage that came before the content is preliminary.
    const isCovered = this.counted.upTo >= this.output + this.reasoning;
    if (counted.source === "estimated" || (isCovered && (isComplete || this.counted.isFinal))) {
      return counted;
    }
    const { usage } = counted;
    const { output, reasoning } = estimate;
    const outputTokens = Math.max(usage.outputTokens, output + reasoning);
    return { usage: { ...usage, outputTokens, reasoningTokens: reasoning }, source: "partial" };
  }
}
