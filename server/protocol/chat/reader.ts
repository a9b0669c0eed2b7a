import { atOnce } from "@/server/base/turns";
import type { EventText } from "../answers/event-template-cache";
import type { ChatHabits } from "../capabilities";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { mintToolId } from "../tools/tool-ids";
import { brokeOff, readStatedError } from "../upstream-error";
import {
  type AnswerContext,
  type CountedUsage,
  noteFinish,
  noteUsage,
  type StreamReader,
} from "../upstream-plan";
import { findChatUsage, laterCounts } from "../usage/chat-usage";
import { countSaid } from "../usage/estimate";
import { type ChatCounts, countedAs, type Estimate, reportedUsage } from "../usage/usage";
import { parseWithoutPrice } from "../usage/vendor-price";
import { countMessage } from "./answer";
import { BrokenChoices, choicesOf, indexOf, MAX_CHOICES } from "./choices";
import {
  callsFinish,
  createdAt,
  normaliseLogprobs,
  normaliseMessage,
  readFinish,
  saysSomething,
  takeMessage,
  withCalls,
} from "./normalise";
import { splitThinking, ThinkTags } from "./think-tags";
import { type BegunCall, identifyToolCall, newOf, placeToolCall, restOf } from "./tool-calls";

/** A choice so far: whether it has named its end, and the end that its calls imply if it never does. */
type ChoiceState = {
  finished: boolean;
  /** The latest word for its end. */
  end: string | null;
  hasDeltas: boolean;
  /** It ended in a way that leaves its calls whole. */
  isWhole: boolean;
  implied: ReturnType<typeof callsFinish>;
  calls: BegunCall[];
  /** The state of the `<think>` tags in its text. */
  tags: ThinkTags | null;
};

const MAX_PREFACES = 8;

/** Ends that leave calls whole: calls in an answer that was cut or refused are not completed. */
const callsEnds = new Set<string | null>(["stop", "tool_calls", "function_call"]);

/** More calls than any model makes. Every fragment searches them, so there is a limit. */
const MAX_CALLS = 512;

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
  private readonly choices = new Map<number, ChoiceState>();
  private output = 0;
  private reasoning = 0;

  private readonly isTool: (name: string) => boolean;
  private readonly broken: BrokenChoices;

  /**
   * `isTool`: whether a text is the full name of one of the call's tools. `choices`: the number that the client asked
   * for.
   */
  constructor(
    context: AnswerContext,
    {
      reasoningTokens = "included",
      thinkTags = false,
      isTool = () => true,
      choices = 1,
    }: Partial<ChatHabits> & { isTool?: (name: string) => boolean; choices?: number } = {},
  ) {
    this.context = context;
    this.habits = { reasoningTokens, thinkTags };
    this.isTool = isTool;
    this.broken = new BrokenChoices(choices);
  }

  get isStarted(): boolean {
    return this.head.id !== undefined;
  }

  get isFinished(): boolean {
    return this.choices.size > 0 && [...this.choices.values()].every((choice) => choice.finished);
  }

  read(data: string, parsed?: unknown): ReturnType<StreamReader<JsonObject>["read"]> {
    const text = data.trim();
    if (text === "[DONE]") {
      return { kind: "done" };
    }
    if (text === "") {
      return { kind: "ping" };
    }
    let chunk: unknown;
    try {
      chunk = parsed ?? parseWithoutPrice(data);
    } catch {
      return { kind: "malformed" };
    }
    const words = readStatedError(chunk);
    if (words) {
      return { kind: "error", words };
    }
    const failed = isJsonObject(chunk) ? this.broken.read(chunk, this.choices.keys()) : null;
    if (failed !== null) {
      return { kind: "error", words: brokeOff(failed) };
    }
    if (
      !isJsonObject(chunk) ||
      (chunk.choices !== undefined && chunk.choices !== null && !Array.isArray(chunk.choices))
    ) {
      return { kind: "malformed" };
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

  /** No text has a tag to split: the text between two tags depends on earlier text. */
  private get isPlain(): boolean {
    return [...this.choices.values()].every(({ tags }) => tags === null || tags.isPast);
  }

  private get isTooMuch(): boolean {
    const { choices } = this;
    return choices.size > MAX_CHOICES || [...choices.values()].some(({ calls }) => calls.length > MAX_CALLS);
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
    if (chunk.error !== undefined) {
      // Empty here. The SDKs throw at an object, even an empty one.
      delete chunk.error;
    }
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
    normaliseLogprobs(choice);
    const { hasDeltas = false } = this.choices.get(index) ?? {};
    const isDelta = isJsonObject(choice.delta) && (hasDeltas || saysSomething(choice.delta));
    // A message after deltas repeats all of them (MiniMax).
    const message = isDelta && isJsonObject(choice.delta) ? choice.delta : takeMessage(choice);
    const delta = !isDelta && hasDeltas ? {} : message;
    choice.delta = delta;
    let state = this.choices.get(index);
    if (!state) {
      const tags = this.habits.thinkTags ? new ThinkTags() : null;
      state = { finished: false, end: null, hasDeltas: false, isWhole: true, implied: null, calls: [], tags };
      this.choices.set(index, state);
      delta.role = "assistant";
    } else if (delta.role !== undefined && delta.role !== "assistant") {
      delete delta.role;
    }
    atOnce(normaliseMessage(delta));
    if (state.implied === "function_call" && isJsonObject(delta.function_call)) {
      // Clients add the fragments of a name up, and some vendors repeat it.
      delete delta.function_call.name;
    }
    state.implied = callsFinish(delta) ?? state.implied;
    const finish = readFinish(choice);
    if (state.tags) {
      splitThinking(delta, state.tags, finish !== null);
    }
    const before = state.calls.length;
    const fragments = this.readCalls(objects(delta.tool_calls).slice(0, MAX_CALLS), state.calls, index);
    // A call that starts in the last chunk may still get arguments.
    const earlierCalls = state.calls.slice(0, before);
    state.isWhole = state.finished ? state.isWhole : finish === null || callsEnds.has(finish);
    const rest = finish !== null && state.isWhole ? restOf(earlierCalls) : [];
    delete delta.tool_calls;
    if (fragments.length + rest.length > 0) {
      delta.tool_calls = [...fragments, ...rest];
    }
    // After another end, a plain one only ends the stream.
    const isPlain = finish === "stop" && state.end !== null;
    choice.finish_reason = isPlain ? state.end : withCalls(finish, state.implied);
    state.end = textOf(choice.finish_reason) || state.end;
    noteFinish(this.context, choice.finish_reason);
    state.finished ||= choice.finish_reason !== null;
    const counted = atOnce(countMessage(delta));
    state.hasDeltas ||= isDelta && counted.output + counted.reasoning > 0;
    this.output += counted.output;
    this.reasoning += counted.reasoning;
  }

  /** Fragments of calls, numbered by their calls, without text that the client already has. */
  private readCalls(fragments: JsonObject[], calls: BegunCall[], choice: number): JsonObject[] {
    return fragments.flatMap((call): JsonObject[] => {
      const place = placeToolCall(calls, call);
      const begun = calls[place];
      if (!begun) {
        return [];
      }
      call.index = place;
      identifyToolCall(begun, call, () => mintToolId(this.context.fallbackId, `${choice}.${place}`));
      const fresh = newOf(begun, call, this.isTool);
      return fresh ? [fresh] : [];
    });
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
    return [...this.choices].flatMap(([index, state]) => {
      const rest = state.isWhole ? restOf(state.calls) : [];
      const finish_reason = state.finished ? null : (state.implied ?? "stop");
      const delta: JsonObject = rest.length > 0 ? { tool_calls: rest } : {};
      if (state.tags) {
        splitThinking(delta, state.tags, true);
      }
      return Object.keys(delta).length > 0 || !state.finished
        ? [{ ...this.head, choices: [{ index, delta, finish_reason }] }]
        : [];
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
