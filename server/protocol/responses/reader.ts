import { atOnce } from "@/server/base/turns";
import { isForeign, SentEvents } from "../answers/event-json";
import type { EventText } from "../answers/event-template-cache";
import { malformedEnd } from "../answers/malformed-end";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { finishKind } from "../finish";
import { isEmptyError, readUpstreamError, type UpstreamWords } from "../upstream-error";
import {
  type AnswerContext,
  type CountedUsage,
  costMember,
  noteFinish,
  noteUsage,
  type StreamError,
  type StreamReader,
} from "../upstream-plan";
import { countSaid } from "../usage/estimate";
import { type ChatCounts, countedAs, hasCounts, reportedUsage, searched } from "../usage/usage";
import {
  completeArguments,
  completeCall,
  countItem,
  countOutput,
  isBlankItem,
  nameCall,
  nameResponse,
  nameType,
  otherModelOf,
  outputOf,
  withoutBlankItems,
} from "./answer";
import { readFailure } from "./failure";
import { completeUsage, isSearchItem, readResponsesCounts } from "./usage";
import { WholeStream } from "./whole-stream";

/** Events whose `delta` is new output, and whether it is thinking. */
const growing = new Map<unknown, boolean>([
  ["response.output_text.delta", false],
  ["response.refusal.delta", false],
  ["response.function_call_arguments.delta", false],
  ["response.custom_tool_call_input.delta", false],
  ["response.reasoning_summary_text.delta", true],
  ["response.reasoning_text.delta", true],
]);

const MAX_PREFACES = 8;
const prefaces: unknown[] = ["response.created", "response.in_progress", "response.queued"];

/** The last events, and the state of a response without one. */
const ends = new Map<unknown, string>([
  ["response.completed", "completed"],
  ["response.incomplete", "incomplete"],
]);

/** Whether an event reports a failure: by its type, or by the response's state at the end. */
function hasFailed({ type, response }: JsonObject): boolean {
  const isEnd = type === "response.completed" && isJsonObject(response);
  return (
    type === "error" || type === "response.failed" || (isEnd && finishKind(response.status) === "failure")
  );
}

/**
 * Reads an upstream's stream of Responses events. They stay unchanged except for the public model name. The last event
 * has the whole response, usage included; a stream without it has broken off, whatever else came.
 */
export class ResponsesReader implements StreamReader<JsonObject> {
  private readonly context: AnswerContext;
  private readonly soleName: string | null;
  private readonly events = new SentEvents();
  private waiting: JsonObject[] = [];
  private counts: ChatCounts | null = null;
  private otherModel: { hasOtherModel?: true } = {};
  private output = 0;
  private reasoning = 0;
  /** The output of complete items: some vendors send them without deltas. */
  private readonly items = { output: 0, reasoning: 0 };
  private readonly whole = new WholeStream();
  private searches = 0;
  /** Whether the vendor counts the searches itself. */
  private toldSearches = false;
  isStarted = false;
  isFinished = false;

  /** `soleName`: the name of the only tool that a call without a name can mean. */
  constructor(context: AnswerContext, soleName: string | null = null) {
    this.context = context;
    this.soleName = soleName;
  }

  get doubt(): UpstreamWords | null {
    return this.events.doubt;
  }

  get failure(): StreamError | null {
    return this.whole.hasHalfCall ? malformedEnd(this.context) : null;
  }

  read(data: string, parsed?: unknown): ReturnType<StreamReader<JsonObject>["read"]> {
    const text = data.trim();
    if (text === "[DONE]") {
      return this.events.end({ isReadable: this.isFinished, isFinished: this.isFinished });
    }
    const sent = this.events.read(data, parsed);
    if (sent.kind !== "json") {
      return sent;
    }
    let { value: event } = sent;
    if (isJsonObject(event) && hasFailed(event)) {
      return { kind: "error", words: readFailure(event) };
    }
    const words = readUpstreamError(event);
    if (words) {
      return { kind: "error", words };
    }
    if (isJsonObject(event) && event.type === undefined && event.object === "response") {
      // The whole response, as if no stream had been asked for.
      event = {
        type: event.status === "incomplete" ? "response.incomplete" : "response.completed",
        response: event,
      };
    }
    const isBegun = this.isStarted || this.waiting.length > 0;
    if (!isJsonObject(event) || typeof event.type !== "string" || (!isBegun && isForeign(event, false))) {
      return { kind: isForeign(event, isBegun) ? "ping" : "malformed" };
    }
    return this.isFinished ? { kind: "ping" } : { kind: "events", events: this.follow(event) };
  }

  textOf(event: JsonObject): EventText | null {
    const isReasoning = growing.get(event.type);
    const text = textOf(event.delta);
    return isReasoning === undefined || text === "" ? null : { text, isReasoning };
  }

  count({ text, isReasoning }: EventText): void {
    this[isReasoning ? "reasoning" : "output"] += countSaid(text);
  }

  /** Holds the first events: they do not show whether the call will be answered, and a rate refusal may follow them. */
  private follow(event: JsonObject): JsonObject[] {
    if (ends.has(event.type) && !isJsonObject(event.response)) {
      event.response = {};
    }
    const response = isJsonObject(event.response) ? event.response : null;
    if (response) {
      nameResponse(response, this.context);
      response.output = outputOf(response);
      this.noteEarly(event.type, response);
    }
    for (const item of objects([event.item, ...objects(response?.output)])) {
      nameType(item);
      nameCall(item, this.soleName);
    }
    if (response && ends.has(event.type)) {
      const items = objects(response.output);
      response.output = this.whole.hasUsable
        ? items.filter((item) => !isBlankItem(item))
        : withoutBlankItems(items);
    }
    if (!this.isStarted && prefaces.includes(event.type) && this.waiting.length < MAX_PREFACES) {
      this.waiting.push(event);
      return [];
    }
    this.isStarted = true;
    const events = this.whole.fill(event);
    for (const each of events) {
      this.note(each, response);
    }
    return [...this.waiting.splice(0), ...events];
  }

  private note(event: JsonObject, response: JsonObject | null): void {
    const eventText = this.textOf(event);
    if (eventText) {
      this.count(eventText);
    } else if (event.type === "response.output_item.added" || event.type === "response.output_item.done") {
      this.noteItem(event);
    } else {
      const status = ends.get(event.type);
      if (status !== undefined) {
        this.finish(response ?? {}, status, event.usage);
      }
    }
  }

  /** Keeps the count of the prompt of an earlier event: the output is still to come. */
  private noteEarly(type: unknown, response: JsonObject): void {
    const counts = prefaces.includes(type) ? readResponsesCounts(response) : null;
    this.counts = counts?.prompt
      ? { ...counts, completion: null, reasoning: null, searches: null }
      : this.counts;
  }

  private noteItem(event: JsonObject): void {
    const item = isJsonObject(event.item) ? event.item : {};
    completeCall(item, this.context, Number(event.output_index ?? 0));
    if (event.type === "response.output_item.added") {
      this.output += countSaid(textOf(item.name));
      return;
    }
    this.searches += isSearchItem(item) ? 1 : 0;
    const counted = atOnce(countItem(item));
    this.items.output += counted.output;
    this.items.reasoning += counted.reasoning;
    this.atLeast(this.items);
  }

  private atLeast({ output, reasoning }: { output: number; reasoning: number }): void {
    this.output = Math.max(this.output, output);
    this.reasoning = Math.max(this.reasoning, reasoning);
  }

  /** `status`: for a response without one. */
  private finish(response: JsonObject, status: string, besides: unknown): void {
    this.isFinished = true;
    if (finishKind(response.status) === null) {
      response.status = status;
    }
    if (isEmptyError(response.error)) {
      // Clients take an empty object for a failure.
      response.error = null;
    }
    for (const [place, item] of objects(response.output).entries()) {
      completeCall(item, this.context, place);
      if (status === "completed") {
        completeArguments(item);
      }
    }
    noteFinish(this.context, response.status);
    this.atLeast(atOnce(countOutput(response.output)));
    // Some vendors send it beside the response.
    response.usage = hasCounts(response.usage) ? response.usage : (besides ?? response.usage);
    const counts = readResponsesCounts(response);
    this.counts = counts ?? this.counts;
    noteUsage(this.context, response.usage, counts !== null);
    this.otherModel = otherModelOf(response);
    this.toldSearches = isJsonObject(response.tool_usage) && isJsonObject(response.tool_usage.web_search);
    const { usage } = this.settled(true);
    response.usage = { ...completeUsage(response.usage, usage), ...costMember(this.context, usage) };
  }

  /** The gateway cannot invent the end of an upstream's answer. */
  owed(): JsonObject[] {
    return [];
  }

  settled(_isComplete: boolean): CountedUsage {
    const estimate = {
      input: this.context.inputTokens,
      output: Math.ceil(this.output),
      reasoning: Math.ceil(this.reasoning),
    };
    // Counts come only with the last event, and cover everything.
    const counted = countedAs(reportedUsage(this.counts, estimate), estimate);
    // A stream that broke off shows its searches only by its items; so do vendors that end without items.
    const units = counted.usage.units ?? searched(this.toldSearches ? 0 : this.searches).units;
    return { ...counted, usage: { ...counted.usage, ...(units && { units }) }, ...this.otherModel };
  }
}
