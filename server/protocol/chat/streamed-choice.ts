import { atOnce } from "@/server/base/turns";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";
import { mintToolId } from "../tools/tool-ids";
import { type AnswerContext, noteFinish } from "../upstream-plan";
import type { SaidTokens } from "../usage/estimate";
import { countMessage } from "./answer";
import {
  callsEnds,
  callsFinish,
  normaliseLogprobs,
  normaliseMessage,
  readFinish,
  saysSomething,
  takeMessage,
  withCalls,
} from "./normalise";
import { splitThinking, type ThinkTags } from "./think-tags";
import {
  type BegunCall,
  identifyToolCall,
  nameCalls,
  newOf,
  type OfferedNames,
  placeToolCall,
  restOf,
} from "./tool-calls";

/** More calls than any model makes. Every fragment searches them, so there is a limit. */
const MAX_CALLS = 512;

/** One choice of a stream: brings its chunks to spec 2.2, and keeps what later chunks depend on. */
export class StreamedChoice {
  private readonly context: AnswerContext;
  private readonly index: number;
  private readonly tools: OfferedNames;
  private readonly tags: ThinkTags | null;
  private readonly calls: BegunCall[] = [];
  /** The name of a call in the dialect's older form, so far. */
  private legacyName = "";
  private isBegun = false;
  private hasDeltas = false;
  /** The latest word for its end that its client has. */
  private end: string | null = null;
  /** It ended in a way that leaves its calls whole. */
  private isWhole = true;
  /** The end that its calls imply if it never names one. */
  private implied: ReturnType<typeof callsFinish> = null;
  /** It has named its end. */
  isFinished = false;

  /** `tags`: for a model that thinks in its text. */
  constructor(
    context: AnswerContext,
    { index, tools, tags }: { index: number; tools: OfferedNames; tags: ThinkTags | null },
  ) {
    this.context = context;
    this.index = index;
    this.tools = tools;
    this.tags = tags;
  }

  /** No text has a tag to split: the text between two tags depends on earlier text. */
  get isPlain(): boolean {
    return this.tags === null || this.tags.isPast;
  }

  get isTooMuch(): boolean {
    return this.calls.length > MAX_CALLS;
  }

  /** It ended for calls that have not come, so its client has no end yet. */
  get owesEnd(): boolean {
    return this.isFinished && this.end === null;
  }

  /** A call was cut off or has no name, and the end does not say so. */
  get isUnusable(): boolean {
    return (
      this.isWhole &&
      this.calls.some(({ name, scan, isCustom }) =>
        name === "" ? scan.state !== "blank" : scan.state === "inside" && !isCustom,
      )
    );
  }

  /** Changes a choice of a chunk to the form of spec 2.2. Returns the tokens of its new text. */
  read(choice: JsonObject): SaidTokens {
    normaliseLogprobs(choice);
    const { hasDeltas } = this;
    const isDelta = isJsonObject(choice.delta) && (hasDeltas || saysSomething(choice.delta));
    const message = isDelta && isJsonObject(choice.delta) ? choice.delta : (takeMessage(choice) ?? {});
    const delta = !isDelta && hasDeltas ? this.unrepeated(message) : message;
    choice.delta = delta;
    this.nameRole(delta);
    atOnce(normaliseMessage(delta));
    if (isJsonObject(delta.function_call) && delta.function_call.name) {
      this.nameLegacyCall(delta.function_call);
    }
    this.implied = callsFinish(delta) ?? this.implied;
    const finish = readFinish(choice);
    if (this.tags) {
      splitThinking(delta, this.tags, finish !== null);
    }
    this.readCalls(delta, finish);
    this.finish(choice, finish);
    const counted = atOnce(countMessage(delta));
    this.hasDeltas ||= isDelta && counted.output + counted.reasoning > 0;
    return counted;
  }

  /** Clients add the pieces of a name up, and some vendors repeat the name so far. */
  private nameLegacyCall(call: JsonObject): void {
    const name = textOf(call.name);
    const isRepeated = name.startsWith(this.legacyName);
    const rest = isRepeated ? name.slice(this.legacyName.length) : name;
    this.legacyName += rest;
    if (rest === "") {
      delete call.name;
    } else {
      call.name = rest;
    }
  }

  /** A message after deltas repeats all of them (MiniMax), but calls may come only there. */
  private unrepeated({ tool_calls: calls }: JsonObject): JsonObject {
    return calls && this.calls.length === 0 ? { tool_calls: calls } : {};
  }

  private nameRole(delta: JsonObject): void {
    if (!this.isBegun) {
      this.isBegun = true;
      delta.role = "assistant";
    } else if (delta.role !== undefined && delta.role !== "assistant") {
      delete delta.role;
    }
  }

  private readCalls(delta: JsonObject, finish: string | null): void {
    const before = this.calls.length;
    const fragments = objects(delta.tool_calls)
      .slice(0, MAX_CALLS)
      .flatMap((call) => this.readCall(call, finish !== null));
    this.isWhole = this.isFinished ? this.isWhole : finish === null || callsEnds.has(finish);
    // A call that starts in the last chunk may still get arguments.
    const rest = finish === null ? [] : this.restOf(this.calls.slice(0, before));
    delete delta.tool_calls;
    if (fragments.length + rest.length > 0) {
      delta.tool_calls = [...fragments, ...rest];
    }
  }

  /** A fragment of a call, numbered by its call, without text that the client already has. */
  private readCall(call: JsonObject, isLast: boolean): JsonObject[] {
    const place = placeToolCall(this.calls, call);
    const begun = this.calls[place];
    if (!begun) {
      return [];
    }
    call.index = place;
    identifyToolCall(begun, call, () => mintToolId(this.context.fallbackId, `${this.index}.${place}`));
    const fresh = newOf(begun, call, { ...this.tools, isLast });
    return fresh ? [fresh] : [];
  }

  private restOf(calls: BegunCall[]): JsonObject[] {
    const named = this.isWhole ? nameCalls(calls, this.tools.soleName) : [];
    return [...named, ...restOf(calls, this.isWhole)];
  }

  /** The calls' effect on the end. One without name and arguments is no call, unless it gets the name of the only tool. */
  private get impliedEnd(): ReturnType<typeof callsFinish> {
    const isNone =
      this.implied === "tool_calls" &&
      this.tools.soleName === null &&
      this.calls.every(({ name, scan }) => name === "" && scan.state === "blank");
    return isNone ? null : this.implied;
  }

  private finish(choice: JsonObject, finish: string | null): void {
    // After another end, a plain one only ends the stream.
    const isPlain = finish === "stop" && this.end !== null && this.end !== "stop";
    // The calls that it names may follow, or never come.
    const implied = this.impliedEnd;
    const isEarly = finish !== "stop" && callsEnds.has(finish) && implied === null;
    this.isFinished ||= finish !== null;
    const word = isEarly ? null : withCalls(finish, implied);
    choice.finish_reason = isPlain ? this.end : word;
    this.end = textOf(choice.finish_reason) || this.end;
    noteFinish(this.context, choice.finish_reason);
  }

  /** The last piece that the upstream should have sent and did not. null: nothing is missing. */
  owed(): JsonObject | null {
    const rest = this.restOf(this.calls);
    const finish_reason = this.end === null ? (this.impliedEnd ?? "stop") : null;
    const delta: JsonObject = rest.length > 0 ? { tool_calls: rest } : {};
    if (this.tags) {
      splitThinking(delta, this.tags, true);
    }
    return Object.keys(delta).length > 0 || finish_reason !== null
      ? { index: this.index, delta, finish_reason }
      : null;
  }
}
