/** The interface of a dialect for the others: a client's side and an upstream's, both in terms of the pivot. */
import { GatewayError } from "@/server/base/errors";
import { joinStream, readEvent, unlessTooDeep, unlessTooDeepInSteps } from "../answers/client-answer";
import { malformedEnd } from "../answers/malformed-end";
import type { JsonObject } from "../fields";
import { printText } from "../json/print";
import type { ClientDialect } from "../scalar-members";
import type {
  AnswerContext,
  AnswerStream,
  CallTerms,
  CountedUsage,
  OtherForm,
  ReadWhole,
  StreamReader,
  StreamWriter,
  UpstreamModel,
  UpstreamPlan,
} from "../upstream-plan";
import type { Answer, AnswerEvent, AnswerEvents } from "./answer";
import type { Conversation } from "./conversation";
import { AnswerSoFar, inShortEvents, toEvents } from "./other-form";

/** One call of a client. */
export type ClientCall = {
  dialect: ClientDialect;
  /** The client's request. */
  fields: JsonObject;
  /** Yields, so that long work can pause. Throws cannotConvert for parts that no other dialect has. */
  conversation: () => Generator<void, Conversation>;
  /** Writes the client's answer. Yields. */
  writeAnswer: (answer: Answer, counted: CountedUsage, context: AnswerContext) => Generator<void, JsonObject>;
  openWriter: (context: AnswerContext) => StreamWriter<AnswerEvent>;
};

/** A conversation in an upstream's form, and the readers of its answer. */
export type UpstreamCall = {
  operation: UpstreamPlan["operation"];
  /** As in `UpstreamPlan`. */
  path?: string;
  body: JsonObject;
  /** In addition to those that sign the call. */
  headers: Record<string, string>;
  /** As in `UpstreamPlan`. */
  readAnswer: (
    answer: unknown,
    context: AnswerContext,
  ) => Generator<void, (CountedUsage & { answer: Answer }) | "malformed" | "unusable">;
  openReader: (context: AnswerContext) => {
    reader: StreamReader<JsonObject>;
    events: AnswerEvents<JsonObject>;
  };
};

/**
 * Yields, so that long work can pause. Throws cannotConvert for parts that this upstream's model cannot do and whose
 * loss would change the call's meaning.
 */
export type ToUpstream = (
  conversation: Conversation,
  upstream: UpstreamModel,
  terms: CallTerms,
) => Generator<void, UpstreamCall>;

function* writeEach(writer: StreamWriter<AnswerEvent>, events: AnswerEvent[]): Generator<string> {
  for (const each of inShortEvents(events)) {
    yield writer.write(each);
  }
}

/** A writer of the pivot's events as a writer of one dialect's events. */
export function throughPivot(
  events: AnswerEvents<JsonObject>,
  writer: StreamWriter<AnswerEvent>,
  context: Pick<AnswerContext, "acceptLanguage">,
): StreamWriter<JsonObject> {
  const write = (batch: AnswerEvent[]) => batch.map((event) => writer.write(event)).join("");
  return {
    get isCut() {
      return writer.isCut === true;
    },
    keepAlive: () => writer.keepAlive(),
    write: (event) => write(events.read(event)),
    writeParts: (event) => writeEach(writer, events.read(event)),
    end: (counted) => {
      // The client gets nothing after a stop sequence, so an error there does not matter.
      const last = events.end() ?? (writer.isCut ? [] : null);
      // Charged as delivered: the text before it has reached the client, and the upstream charges for it.
      return last === null ? writer.fail(malformedEnd(context)) : write(last) + writer.end(counted);
    },
    fail: (error) => writer.fail(error),
    rest: () => writer.rest?.() ?? null,
  };
}

/** Converts a complete stream to the client's body. */
function* collect(
  client: ClientCall,
  { reader, events }: ReturnType<UpstreamCall["openReader"]>,
  { frames, context }: { frames: Iterable<string | null>; context: AnswerContext },
): ReturnType<OtherForm["collect"]> {
  const answer = new AnswerSoFar();
  let isOver = false;
  for (const data of frames) {
    if (data === null) {
      yield;
      continue;
    }
    const step = yield* readEvent(reader, data);
    if (step.kind === "error") {
      return { words: step.words };
    }
    if (step.kind === "malformed") {
      return "malformed";
    }
    if (step.kind === "done") {
      isOver = true;
      break;
    }
    answer.add(step.kind === "events" ? step.events.flatMap((event) => events.read(event)) : []);
    yield;
  }
  if (!reader.isStarted || !(isOver || reader.isFinished)) {
    return reader.doubt ? { words: reader.doubt } : "malformed";
  }
  answer.add(reader.owed().flatMap((event) => events.read(event)));
  const last = reader.failure ? null : events.end();
  answer.add(last ?? []);
  const counted = reader.settled(true);
  const body = last && (yield* unlessTooDeepInSteps(client.writeAnswer(answer.whole, counted, context)));
  return body === null ? "unusable" : { ...counted, body };
}

/** Converts a whole answer to the client's stream. */
function* play(
  { answer, ...counted }: CountedUsage & { answer: Answer },
  writer: StreamWriter<AnswerEvent>,
): ReturnType<OtherForm["play"]> {
  let text = "";
  for (const event of toEvents(answer)) {
    const written = unlessTooDeep(() => writer.write(event));
    if (written === null) {
      return "unusable";
    }
    text += written;
    yield;
    for (const part of writer.rest?.() ?? []) {
      text += part;
      yield;
    }
  }
  const stream: AnswerStream = {
    isStarted: true,
    isFinished: true,
    isCut: false,
    keepAlive: () => writer.keepAlive(),
    push: () => ({ kind: "done" }),
    ending: () => writer.end(counted),
    failing: (error) => writer.fail(error),
    rest: () => writer.rest?.() ?? null,
    settled: () => counted,
  };
  return { stream, text };
}

type UpstreamAnswer = ReturnType<UpstreamCall["readAnswer"]>;

/** An upstream's answer that was read in its dialect, in the pivot's terms: `translate` returns null if it cannot be used. */
export function* toPivot(
  reading: Generator<void, ReadWhole | null>,
  translate: (answer: JsonObject) => Generator<void, Answer | null>,
): UpstreamAnswer {
  const read = yield* reading;
  if (!read) {
    return "malformed";
  }
  const answer = read.hasHalfCall ? null : yield* translate(read.answer);
  return answer ? { ...read, answer } : "unusable";
}

function* toClient(
  client: ClientCall,
  reading: UpstreamAnswer,
  context: AnswerContext,
): ReturnType<UpstreamPlan["readAnswer"]> {
  const read = yield* reading;
  if (typeof read === "string") {
    return read;
  }
  const { answer: whole, ...counted } = read;
  const written = yield* unlessTooDeepInSteps(client.writeAnswer(whole, counted, context));
  return written === null ? "unusable" : { ...counted, body: written };
}

function* playAnswer(
  client: ClientCall,
  reading: UpstreamAnswer,
  context: AnswerContext,
): ReturnType<OtherForm["play"]> {
  const read = yield* reading;
  return typeof read === "string" ? read : yield* play(read, client.openWriter(context));
}

/**
 * Plans a client's call for an upstream of another dialect, `call`, whose body is printed in steps. `lost`: its
 * parts that the call lacks, as in `UpstreamPlan`. Throws RangeError for a body that is nested deeper than any body that the gateway accepts.
 */
export function* planThroughPivot(
  client: ClientCall,
  call: UpstreamCall,
  lost: Pick<UpstreamPlan, "dropped" | "ignored">,
): Generator<void, UpstreamPlan> {
  const body = yield* printText(call.body);
  return {
    ...lost,
    operation: call.operation,
    ...(call.path !== undefined && { path: call.path }),
    headers: call.headers,
    body,
    readAnswer: (answer, context) => toClient(client, call.readAnswer(answer, context), context),
    openStream: (context) => {
      const { reader, events } = call.openReader(context);
      return joinStream(reader, throughPivot(events, client.openWriter(context), context));
    },
    otherForm: () => ({
      collect: (frames, context) => collect(client, call.openReader(context), { frames, context }),
      play: (answer, context) => playAnswer(client, call.readAnswer(answer, context), context),
    }),
  };
}

/**
 * The other form of a plan. null: this client cannot use such an answer, because no other dialect can carry its call.
 */
function* otherFormOf(planning: Generator<void, UpstreamPlan>): Generator<void, OtherForm | null> {
  try {
    return (yield* planning).otherForm();
  } catch (error) {
    if (error instanceof GatewayError && error.kind === "cannotConvert") {
      return null;
    }
    throw error;
  }
}

/** The other form of a forwarded call: translated only on demand. */
export const translatedForm = (translated: () => Generator<void, UpstreamPlan>): OtherForm => ({
  collect: (...args) => collectIn(otherFormOf(translated()), args),
  play: (...args) => playIn(otherFormOf(translated()), args),
});

function* collectIn(
  opening: ReturnType<typeof otherFormOf>,
  args: Parameters<OtherForm["collect"]>,
): ReturnType<OtherForm["collect"]> {
  const form = yield* opening;
  return form === null ? "unusable" : yield* form.collect(...args);
}

function* playIn(
  opening: ReturnType<typeof otherFormOf>,
  args: Parameters<OtherForm["play"]>,
): ReturnType<OtherForm["play"]> {
  const form = yield* opening;
  return form === null ? "unusable" : yield* form.play(...args);
}
