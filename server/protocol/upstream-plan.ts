/**
 * How one conversational call goes to an upstream and comes back. A client's dialect and an upstream's meet here: the
 * upstream's side is a reader, the client's a writer, and a translator is a writer for another dialect's events.
 */

import type { IgnoredMember } from "@/server/base/ignored";
import type { ServiceTier, UsageSource } from "@/server/domain/enums";
import type { Units } from "@/server/domain/units";
import type { EventText } from "./answers/event-template-cache";
import type { JoinedAnswers } from "./answers/several";
import type { Capabilities, Dialect } from "./capabilities";
import type { JsonObject } from "./fields";
import { finishKind } from "./finish";
import type { KeptThinking, ThinkingOfCalls } from "./kept-thinking";
import type { Upload } from "./multipart/form";
import type { UpstreamWords } from "./upstream-error";
import { unreadCount } from "./usage/unread-counts";
import type { Usage } from "./usage/usage";

/** The usage of a call, and its source. `hasOtherModel`: another model did a part of the work, such as an advisor. */
export type CountedUsage = {
  usage: Usage;
  source: UsageSource;
  hasOtherModel?: boolean;
};

/**
 * An answer that was read in its upstream's dialect. `hasHalfCall`: a call in it was cut, or has no name: no client can
 * use it, and the model is to blame, not the channel.
 */
export type ReadWhole = CountedUsage & { answer: JsonObject; hasHalfCall?: boolean };

/** The values that an answer needs in addition to the upstream's content. */
export type AnswerContext = {
  /** The public name. */
  model: string;
  /** The estimate of the prompt. */
  inputTokens: number;
  /** A unique identifier, for an answer without one. */
  fallbackId: string;
  now: Date;
  /** The client's header. Left out: it names no language. */
  acceptLanguage?: string | null;
  /** The price in currency units; present if the client asked for it. */
  price?: ((usage: Usage) => number) | undefined;
  /** Gets the upstream's name of the answering model, from each piece that has it. */
  onModel?: (name: unknown) => void;
  /** Gets thinking to keep for the next turn, before the client gets its call. Left out: nothing is kept. */
  onThinking?: (kept: KeptThinking) => void;
  /** Gets parts of the answer that the gateway does not understand, so that a person looks at them. */
  onUnread?: (unread: Unread) => void;
};

/** An unknown word for an end, or the name of a count that the gateway does not understand. */
type Unread = { member: "finish" | "usage"; word: string };

/** Reports an end with an unknown word, each time that it occurs. */
export function noteFinish({ onUnread }: AnswerContext, word: unknown): void {
  if (finishKind(word) === "unknown") {
    onUnread?.({ member: "finish", word: String(word) });
  }
}

/** Reports a count that the gateway does not understand. `isRead`: other parts of the usage object were read. */
export function noteUsage({ onUnread }: AnswerContext, usage: unknown, isRead: boolean): void {
  const word = usage === undefined ? null : unreadCount(usage, isRead);
  if (word !== null) {
    onUnread?.({ member: "usage", word });
  }
}

/** The cost of a call as a member of its usage object, if the client asked for it (spec 4.2). */
export const costMember = ({ price }: Pick<AnswerContext, "price">, usage: Usage): { cost?: number } =>
  price ? { cost: price(usage) } : {};

/**
 * The error of a stream that broke off: the envelope of spec section 7. `sentence`: the text that SDKs show, if it
 * differs.
 */
export type StreamError = { code: number; message: string; data: null; sentence?: string };

/**
 * The kind of an event: part of the answer (which may release events that waited, or wait itself), a keep-alive, the
 * end, an error, or no event of its dialect.
 */
export type ReaderStep<Event> =
  | { kind: "events"; events: Event[] }
  | { kind: "ping" }
  | { kind: "done" }
  | { kind: "error"; words: UpstreamWords }
  | { kind: "malformed" };

/** The upstream's side of a stream. Keeps counts, never text. */
export type StreamReader<Event> = {
  /** Some of the answer has come through. */
  readonly isStarted: boolean;
  /** The upstream has sent the reason for its end, though not yet the end. */
  readonly isFinished: boolean;
  /**
   * The upstream has sent its counts after that reason, and the client waits for the end: calls that would have to come
   * first have not. Left out: it does not wait.
   */
  readonly isCounted?: boolean;
  /** Reads the `data` of one server-sent event. `parsed`: its JSON, if already parsed. */
  read: (data: string, parsed?: unknown) => ReaderStep<Event>;
  /** Final events that the upstream should have sent and did not, although it ended well. */
  owed: () => Event[];
  /**
   * The error of an answer that cannot be used, although its upstream ended it well: a call in it was cut off. Left out,
   * or null: there is none.
   */
  readonly failure?: StreamError | null;
  /**
   * The words of an event that may be an error, if the answer did not go on after it: the error of a stream that ends
   * without the reason for its end. Left out, or null: there are none.
   */
  readonly doubt?: UpstreamWords | null;
  /** How often a block has begun or ended, if the vendor's numbers of blocks may change their meaning. */
  readonly blockChanges?: number;
  /**
   * The counts to charge. For a stream that ended well, the upstream's; for one that broke off, the upstream's counts
   * so far, but no less than the output that came through.
   */
  settled: (isComplete: boolean) => CountedUsage;
  /**
   * Returns the event's text if only the text and its token count distinguish it from similar events; otherwise null.
   */
  textOf: (event: Event) => EventText | null;
  /** Counts the text of such an event, without the event. */
  count: (text: EventText) => void;
};

/** The client's side of a stream. Writes text, or "" if there is none. */
export type StreamWriter<Event> = {
  /** A keep-alive during a silence. */
  keepAlive: () => string;
  /** Each event is written independently of earlier ones, with its texts unchanged. */
  readonly isVerbatim?: true;
  /** The client has its whole answer, whatever else the upstream sends. */
  readonly isCut?: boolean;
  write: (event: Event) => string;
  /** As `write`, for a long event: its text in parts. Left out: it is written at once. */
  writeParts?: (event: Event) => Iterable<string>;
  /** The end of a stream that ended well. */
  end: (counted: CountedUsage) => string;
  /** The end of a stream that broke off. */
  fail: (error: StreamError) => string;
  /** Text that follows and is too long to write at once. Left out, or null: there is none. */
  rest?: () => Iterable<string> | null;
};

/** The result of an event for the client. `isWork`: the upstream has continued the answer. */
export type StreamStep =
  | { kind: "frames"; text: string; isWork: boolean }
  | { kind: "done" }
  | { kind: "error"; words: UpstreamWords }
  | { kind: "malformed" };

/** A stream from an upstream to a client. */
export type AnswerStream = {
  readonly isStarted: boolean;
  readonly isFinished: boolean;
  /** The client has its whole answer, though the upstream has not reached its end, and so not its counts. */
  readonly isCut: boolean;
  /** As in `StreamReader`. */
  readonly isCounted?: boolean;
  readonly doubt?: UpstreamWords | null;
  keepAlive: () => string;
  push: (data: string) => StreamStep;
  /** As `push`. Yields, so that long work can pause. Left out: the stream has no long events. */
  pushInSteps?: (data: string) => Generator<void, StreamStep>;
  ending: () => string;
  failing: (error: StreamError) => string;
  /** As in `StreamWriter`. The gateway sends it after the text of each other member. */
  rest?: () => Iterable<string> | null;
  settled: (isComplete: boolean) => CountedUsage;
};

/** One model of one upstream. `name`: the upstream's. */
export type UpstreamModel = { dialect: Dialect; name: string; capabilities: Capabilities };

/** The gateway's additions to a call's own terms. */
export type CallTerms = {
  /** The largest output that the hold covers: the client's limit, the model's, or the affordable one. */
  maxOutputTokens: number;
  /** The client named no limit, or a higher one: the upstream must get this one. */
  isCapped: boolean;
  /** The estimate of the prompt. */
  inputTokens: number;
  /** The gateway marks prompts for their vendor's cache if the client marks nothing. */
  isPromptCached: boolean;
  /**
   * No channel of the model has all of the vendors' tools that the call offers: it goes out without the missing ones.
   */
  mayDrop?: boolean;
};

export type ReadAnswer = (CountedUsage & { body: JsonObject }) | "malformed" | "unusable";

/** A call in one upstream's form, and the readers of its answer. */
export type UpstreamPlan = {
  operation: Dialect | "completions";
  /** The path below the base URL, for a vendor whose addresses name the model. */
  path?: string;
  /** JSON, as text or in bytes. */
  body: string | Upload;
  /** In addition to those that sign the call. */
  headers: Record<string, string>;
  /** Tools that a vendor runs, and MCP servers, that the call goes out without, under the client's names. */
  dropped: string[];
  /** Members of the request that the upstream does not get, in the order of the request. */
  ignored: IgnoredMember[];
  /**
   * Converts a parsed answer to the client's. Yields, so that long work can pause. `malformed`: no answer of the
   * upstream's dialect. `unusable`: the client's dialect cannot express it, such as a tool call whose arguments are no
   * JSON.
   */
  readAnswer: (answer: unknown, context: AnswerContext) => Generator<void, ReadAnswer>;
  openStream: (context: AnswerContext) => AnswerStream;
  /** If only its own dialect can express the call, every answer is `unusable`. */
  otherForm: () => OtherForm;
};

/** The plan of a call that is forwarded in its own dialect. */
export type ForwardPlan = Omit<UpstreamPlan, "otherForm" | "ignored">;

/**
 * For an upstream that streams although a whole answer was requested, or the reverse. Leaves out members that only its
 * own dialect has.
 */
export type OtherForm = {
  /**
   * The client's body for all events of a stream. Yields after each event, and at each null. `words`: the stream
   * reports an error.
   */
  collect: (
    events: Iterable<string | null>,
    context: AnswerContext,
  ) => Generator<void, ReadAnswer | { words: UpstreamWords }>;
  /** The client's stream for a whole answer: all of its text except the end. Yields. */
  play: (
    answer: unknown,
    context: AnswerContext,
  ) => Generator<void, { stream: AnswerStream; text: string } | "malformed" | "unusable">;
};

/** `calls`: one answer each, in the order of the answers' places. */
type Several = { calls: () => ConversationRequest[]; join: () => JoinedAnswers };

/** A client's call, as far as the gateway needs to understand it. */
export type ConversationRequest = {
  model: string;
  isStream: boolean;
  /** The largest output limit that the client named, reasoning included. null: none. */
  maxOutputTokens: number | null;
  choices: number;
  /**
   * The most times that its prompt is read: once by each of several calls, if no upstream gives several answers at
   * once.
   */
  readings: number;
  /** The same as calls of one answer each, for upstreams that give only one. Left out: it has one answer. */
  several?: Several;
  /** The estimate of the prompt. */
  inputTokens: number;
  /** The most units other than tokens that the call can be charged for. */
  units: Units | undefined;
  /** The service tiers that can serve it; null is the vendor's usual one. Left out: any. */
  tiers?: readonly (ServiceTier | null)[] | undefined;
  /** The client wants its cost. */
  wantsCost: boolean;
  /** The start of its prompt, bounded, the same in all calls of one conversation. */
  prefix: () => string;
  /**
   * Yields, so that long work can pause: a long conversation would block other calls too long. Throws GatewayError
   * `cannotConvert` (400) for parts that would change the call's meaning there.
   */
  planFor: (upstream: UpstreamModel, terms: CallTerms) => Generator<void, UpstreamPlan>;
  /** Calls of its history whose thinking the gateway has kept, for a client that hands none back. */
  keptCalls?: readonly string[];
  /** The same call with that thinking. */
  withThinking?: (thinking: ThinkingOfCalls) => ConversationRequest;
  /** Rewords an upstream's refusal in words that this dialect's clients act on. */
  rewordRefusal: (words: string) => string;
};
