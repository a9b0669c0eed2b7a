import { atOnce } from "@/server/base/turns";
import { isForeign, SentEvents } from "../answers/event-json";
import { malformedEnd } from "../answers/malformed-end";
import { isJsonObject, type JsonObject } from "../fields";
import { readUpstreamError, type UpstreamWords } from "../upstream-error";
import {
  type AnswerContext,
  type CountedUsage,
  noteUsage,
  type StreamError,
  type StreamReader,
} from "../upstream-plan";
import { named } from "./answer";
import { dropBlankCalls } from "./blank-calls";
import {
  candidatesOf,
  countResponse,
  finishOf,
  hasHalfCall,
  isBlocked,
  isCutShort,
  nameCalls,
  readResponse,
} from "./normalise";
import { countedOf, GeminiCounts, searchesIn } from "./usage";

/**
 * Reads an upstream's stream of responses, each with only the new parts. They stay unchanged except for the public
 * model name and a missing response id.
 */
export class GeminiReader implements StreamReader<JsonObject> {
  private readonly context: AnswerContext;
  private readonly soleName: string | null;
  /** The vendor's number of the first candidate. */
  private first: unknown;
  /** It has a call without a name, or one that was cut off. */
  private isHalf = false;
  /** It says that it was cut off or refused. */
  private isCut = false;
  private readonly events = new SentEvents();
  private readonly counts = new GeminiCounts();
  private output = 0;
  private reasoning = 0;
  private searches = 0;
  /** How much output had come before the latest counts; -1: no counts yet. */
  private countedUpTo = -1;
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
    return this.isHalf && !this.isCut ? malformedEnd(this.context) : null;
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
    const words = readUpstreamError(sent.value);
    if (words) {
      return { kind: "error", words };
    }
    const read = readResponse(sent.value);
    if (read === null) {
      return { kind: isForeign(sent.value, this.isStarted) ? "ping" : "malformed" };
    }
    const response = dropBlankCalls(nameCalls(this.numbered(read), this.soleName), false);
    this.note(response);
    if (response.usageMetadata && this.isFinished) {
      this.events.ended(data);
    }
    return { kind: "events", events: [named(response, this.context)] };
  }

  /** Gemini events are few and large. */
  textOf(): null {
    return null;
  }

  count(): void {}

  /** Numbers the only candidate of a stream 0. */
  private numbered(response: JsonObject): JsonObject {
    const [only, ...others] = candidatesOf(response);
    this.first ??= only?.index;
    const isOther =
      only !== undefined && others.length === 0 && only.index === this.first && this.first !== 0;
    return isOther ? { ...response, candidates: [{ ...only, index: 0 }] } : response;
  }

  private note(response: JsonObject): void {
    const candidates = candidatesOf(response);
    const tokens = atOnce(countResponse(response));
    this.isStarted ||= candidates.length > 0 || isBlocked(response);
    this.isFinished ||= isBlocked(response) || candidates.some((candidate) => finishOf(candidate) !== "");
    this.isHalf ||= hasHalfCall(response);
    this.isCut ||= isCutShort(response);
    this.output += tokens.output;
    this.reasoning += tokens.reasoning;
    this.searches = Math.max(this.searches, ...candidates.map(searchesIn));
    if (isJsonObject(response.usageMetadata)) {
      this.counts.note(response.usageMetadata);
      noteUsage(this.context, response.usageMetadata, this.counts.chatCounts?.prompt != null);
      this.countedUpTo = this.output + this.reasoning;
    }
  }

  /** The gateway cannot invent the end of an upstream's answer. */
  owed(): JsonObject[] {
    return [];
  }

  settled(isComplete: boolean): CountedUsage {
    const estimate = {
      input: this.context.inputTokens,
      output: Math.ceil(this.output),
      reasoning: Math.ceil(this.reasoning),
    };
    const counted = countedOf(this.counts, estimate, this.searches);
    // Counts that came before the content are preliminary.
    const isCovered = this.countedUpTo >= this.output + this.reasoning;
    if (counted.source === "estimated" || (isCovered && (isComplete || this.isFinished))) {
      return counted;
    }
    const { usage } = counted;
    const outputTokens = Math.max(usage.outputTokens, estimate.output + estimate.reasoning);
    return {
      ...counted,
      usage: { ...usage, outputTokens, reasoningTokens: estimate.reasoning },
      source: "partial",
    };
  }
}
