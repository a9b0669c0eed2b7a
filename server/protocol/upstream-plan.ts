/**
 * How one conversational call goes to an upstream and comes back. A client's dialect and an upstream's meet here: the
 * upstream's side is a reader, the client's a writer, and a translator is a writer for another dialect's events.
 */
import type { UsageSource } from "@/server/base/facts";
import type { Language } from "@/server/base/language";
import type { Units } from "@/server/base/units";
import type { Capabilities, Dialect } from "./capabilities";
import type { JsonObject } from "./fields";
import { finishKind } from "./finish";
import type { KeptThinking, ThinkingOfCalls } from "./kept-thinking";
import type { EventText } from "./repetition";
import type { JoinedAnswers } from "./several";
import { unreadCount } from "./unread-counts";
import type { UpstreamWords } from "./upstream-error";
import type { Usage } from "./usage";

/** What a call used, and who says so. `hasOtherModel`: a part of it was another model's work, such as an advisor's. */
export type Counted = {
  usage: Usage;
  source: UsageSource;
  hasOtherModel?: boolean;
};

/** What an answer is made of beside the upstream's words. */
export type AnswerContext = {
  /** The public name. */
  model: string;
  /** Our estimate of the prompt. */
  inputTokens: number;
  /** Unique, for an answer that came without an identifier. */
  fallbackId: string;
  now: Date;
  /** The client's. Left out: it names none. */
  language?: Language;
  /** In currency units; there where the client wants to be told. */
  price?: ((usage: Usage) => number) | undefined;
  /** Hears what the upstream calls the model that answers, with each piece that says so. */
  onModel?: (name: unknown) => void;
  /** Hears of thinking that is to be kept for the next turn, before its call is told. Left out: nothing is kept. */
  onThinking?: (kept: KeptThinking) => void;
  /** Hears of what stands in the answer and is not understood, so that a person looks at it. */
  onUnread?: (unread: Unread) => void;
};

/** A word for an end that nobody here knows, or the name of a count that is not understood. */
type Unread = { member: "finish" | "usage"; word: string };

/** Tells of an end whose word is not known, once for each time that it is said. */
export function noteFinish({ onUnread }: AnswerContext, word: unknown): void {
  if (finishKind(word) === "unknown") {
    onUnread?.({ member: "finish", word: String(word) });
  }
}

/** Tells of a count that is not understood. `isRead`: something of the usage object was. */
export function noteUsage({ onUnread }: AnswerContext, usage: unknown, isRead: boolean): void {
  const word = usage === undefined ? null : unreadCount(usage, isRead);
  if (word !== null) {
    onUnread?.({ member: "usage", word });
  }
}

/** The member of a usage object that tells what a call costs, where the client asked for it (spec 4.2). */
export const costMember = ({ price }: Pick<AnswerContext, "price">, usage: Usage): { cost?: number } =>
  price ? { cost: price(usage) } : {};

/** What a stream broke off with: the envelope of spec section 7. `sentence`: what SDKs show, where it is another text. */
export type StreamError = { code: number; message: string; data: null; sentence?: string };

/**
 * What an event was: one of the answer (which may bring on others that waited for it, or wait itself), a sign of life,
 * the end, an error, or no event of its dialect.
 */
export type ReaderStep<Event> =
  | { kind: "events"; events: Event[] }
  | { kind: "ping" }
  | { kind: "done" }
  | { kind: "error"; words: UpstreamWords }
  | { kind: "malformed" };

/** The upstream's side of a stream. Keeps counts, never text. */
export type StreamReader<Event> = {
  /** Something of the answer has come through. */
  readonly isStarted: boolean;
  /** The upstream has said why it ended, though not yet that it has. */
  readonly isFinished: boolean;
  /** Takes the `data` of one server-sent event. `parsed`: what it is as JSON, where that is known. */
  read: (data: string, parsed?: unknown) => ReaderStep<Event>;
  /** Events that an upstream which ends well owes and has not sent. */
  owed: () => Event[];
  /**
   * The counts to charge. Of a stream that ended well, the upstream's; of one that broke off, whatever the upstream
   * had said so far, but no less than what came through it.
   */
  settled: (isComplete: boolean) => Counted;
  /**
   * The text of an event that it has read, where another one with another text in its place would be the same event to
   * it but for the count. null: there is none, or more of them.
   */
  textOf: (event: Event) => EventText | null;
  /** Takes the text of such an event instead of the event. */
  count: (text: EventText) => void;
};

/** The client's side of a stream: text, "" when there is nothing to say. */
export type StreamWriter<Event> = {
  /** A sign of life for a silence. */
  keepAlive: () => string;
  /** Each event is written by itself, whatever came before it, its texts as they are. */
  readonly isVerbatim?: true;
  /** The client has all of its answer, whatever else the upstream says. */
  readonly isCut?: boolean;
  write: (event: Event) => string;
  /** The last words of a stream that ended well. */
  end: (counted: Counted) => string;
  /** The last words of one that broke off. */
  fail: (error: StreamError) => string;
  /** The text that follows and is too long to be written at once. Left out, or null: there is none. */
  rest?: () => Iterable<string> | null;
};

/** What an event comes to for the client. `isWork`: the upstream has gone on with the answer. */
export type StreamStep =
  | { kind: "frames"; text: string; isWork: boolean }
  | { kind: "done" }
  | { kind: "error"; words: UpstreamWords }
  | { kind: "malformed" };

/** A stream on its way from an upstream to a client. */
export type AnswerStream = {
  readonly isStarted: boolean;
  readonly isFinished: boolean;
  /** The client has all of its answer, though the upstream has not come to its end, and so not to its counts. */
  readonly isCut: boolean;
  keepAlive: () => string;
  push: (data: string) => StreamStep;
  /** As `push`, in steps between which the work may rest. Left out: the stream has no long events. */
  pushInSteps?: (data: string) => Generator<void, StreamStep>;
  ending: () => string;
  failing: (error: StreamError) => string;
  /** As in `StreamWriter`. The gateway sends it behind the text of each other member. */
  rest?: () => Iterable<string> | null;
  settled: (isComplete: boolean) => Counted;
};

/** One model of one upstream. `name`: what the upstream calls it. */
export type UpstreamModel = { dialect: Dialect; name: string; capabilities: Capabilities };

/** What the gateway adds to a call's own terms. */
export type Terms = {
  /**
   * The largest output that the call has paid for: what the client named, the model's most, or what was affordable.
   */
  maxOutputTokens: number;
  /** The client named none, or a higher one: the upstream has to be told this one. */
  isCapped: boolean;
  /** Our estimate of the prompt. */
  inputTokens: number;
  /** Prompts are marked for their vendor's cache where the client marks nothing. */
  isPromptCached: boolean;
  /** No channel of the model has all of the vendors' tools that the call offers: it is made without them. */
  mayDrop?: boolean;
};

export type ReadAnswer = (Counted & { body: JsonObject }) | "malformed" | "unusable";

/** A call as one upstream takes it, and how to read what comes back. */
export type UpstreamPlan = {
  operation: Dialect | "completions";
  /** Below the base URL, for a vendor whose addresses name the model. */
  path?: string;
  /** JSON text. */
  body: string;
  /** Beside those that sign the call. */
  headers: Record<string, string>;
  /** Tools that a vendor runs, and MCP servers, without which the call is made, in the client's words. */
  dropped: string[];
  /**
   * The client's answer for a parsed one, in steps between which the work may rest. `malformed`: no answer of the
   * upstream's dialect. `unusable`: one that cannot be said in the client's, such as a tool call whose arguments are no JSON.
   */
  readAnswer: (answer: unknown, context: AnswerContext) => Generator<void, ReadAnswer>;
  openStream: (context: AnswerContext) => AnswerStream;
  /** Of a call that only its own dialect can say, every answer is `unusable`. */
  otherForm: () => OtherForm;
};

/** One that is forwarded in its own dialect. */
export type ForwardPlan = Omit<UpstreamPlan, "otherForm">;

/**
 * For an upstream that streams where a whole answer was asked for, or the reverse. Members that only its own dialect has are
 * left out.
 */
export type OtherForm = {
  /**
   * The client's body for the events of a stream, all of them; it may rest behind each, and where there is none. `words`:
   * the stream says that it failed.
   */
  collect: (
    events: Iterable<string | null>,
    context: AnswerContext,
  ) => Generator<void, ReadAnswer | { words: UpstreamWords }>;
  /** The client's stream for a whole answer, in steps: all of its text but the last words. */
  play: (
    answer: unknown,
    context: AnswerContext,
  ) => Generator<void, { stream: AnswerStream; text: string } | "malformed" | "unusable">;
};

/** `calls`: of one answer each, in the order of their answers' places. */
type Several = { calls: () => ConversationRequest[]; join: () => JoinedAnswers };

/** A client's call, as far as the gateway needs to understand it. */
export type ConversationRequest = {
  model: string;
  isStream: boolean;
  /** The largest output limit that the client named, reasoning included. null: it named none. */
  maxOutputTokens: number | null;
  choices: number;
  /** How often its prompt is read at most: by each of several calls, where no upstream gives several answers at once. */
  readings: number;
  /** The same as calls of one answer each, for upstreams that give no more. Left out: it has one answer. */
  several?: Several;
  /** Our estimate of the prompt. */
  inputTokens: number;
  /** The most of what is paid for beside text. */
  units: Units | undefined;
  /** The client wants to be told what it cost. */
  wantsCost: boolean;
  /** What its prompt begins with, bounded, the same in all calls of one conversation. */
  prefix: () => string;
  /**
   * In steps between which the work may rest: a long conversation takes longer than other calls can wait. Throws GatewayError
   * `cannotConvert` (400) for what would change its meaning there.
   */
  planFor: (upstream: UpstreamModel, terms: Terms) => Generator<void, UpstreamPlan>;
  /** Calls of its history whose thinking the gateway has kept, for a client that hands none back. */
  keptCalls?: readonly string[];
  /** The same call with that thinking. */
  withThinking?: (thinking: ThinkingOfCalls) => ConversationRequest;
  /** An upstream's refusal in words that this dialect's clients act on. */
  rewordRefusal: (words: string) => string;
};
