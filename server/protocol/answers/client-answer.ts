/** Makes a client's answer of an upstream's: a reader of the upstream's dialect, and a writer of the client's. */
import { atOnce } from "@/server/base/turns";
import type { JsonObject } from "../fields";
import { MAX_AT_ONCE_CHARACTERS } from "../json/turns";
import type {
  AnswerStream,
  ReadAnswer,
  ReaderStep,
  ReadWhole,
  StreamReader,
  StreamStep,
  StreamWriter,
} from "../upstream-plan";
import { parseLongWithoutPrice } from "../usage/vendor-price";
import { EventTemplateCache } from "./event-template-cache";
import { parseLongEvent } from "./long-answer";
import { LongWords } from "./long-words";

function nullIfTooDeep(error: unknown): null {
  if (error instanceof RangeError) {
    return null;
  }
  throw error;
}

/** Prints an upstream's values. null: they are nested too deep to print. No honest answer is. */
export function unlessTooDeep<T>(print: () => T): T | null {
  try {
    return print();
  } catch (error) {
    return nullIfTooDeep(error);
  }
}

/** Prints an upstream's values. Yields, so that long work can pause. null: as above. */
export function* unlessTooDeepInSteps<T>(printing: Generator<void, T>): Generator<void, T | null> {
  try {
    return yield* printing;
  } catch (error) {
    return nullIfTooDeep(error);
  }
}

/** The client's body of an answer: the answer as it was read, or the body that `write` makes of it. */
export function* inClientWords(
  reading: Generator<void, ReadWhole | null>,
  write?: (answer: JsonObject) => Generator<void, JsonObject>,
): Generator<void, ReadAnswer> {
  const read = yield* reading;
  if (read === null) {
    return "malformed";
  }
  const body = write ? yield* unlessTooDeepInSteps(write(read.answer)) : read.answer;
  if (body === null || read.hasHalfCall) {
    return "unusable";
  }
  const { usage, source, hasOtherModel } = read;
  return { usage, source, ...(hasOtherModel && { hasOtherModel }), body };
}

const isLong = ({ length }: string): boolean => length > MAX_AT_ONCE_CHARACTERS;

/** A step of the reader. After the reason for an answer's end, what cannot be read does not break the answer off. */
function stepOf<Event>(reader: StreamReader<Event>, data: string, parsed?: unknown): ReaderStep<Event> {
  const { isFinished } = reader;
  const step = reader.read(data, parsed);
  return isFinished && step.kind === "malformed" ? { kind: "ping" } : step;
}

/** Reads an event of a stream. Yields while it reads a long one, so that the work can pause. */
export function* readEvent<Event>(
  reader: StreamReader<Event>,
  data: string,
): Generator<void, ReaderStep<Event>> {
  if (!isLong(data)) {
    return stepOf(reader, data);
  }
  let parsed: unknown;
  try {
    parsed = yield* parseLongWithoutPrice(data, parseLongEvent);
  } catch {
    return { kind: reader.isFinished ? "ping" : "malformed" };
  }
  yield;
  return stepOf(reader, data, parsed);
}

function* partsOf<Event>(writer: StreamWriter<Event>, events: Event[]): Generator<string, undefined> {
  for (const event of events) {
    yield* writer.writeParts?.(event) ?? [writer.write(event)];
  }
}

/** As `push`, in steps for a long event. */
function* pushInSteps<Event>(
  data: string,
  {
    push,
    read,
    write,
  }: {
    push: AnswerStream["push"];
    read: () => Generator<void, ReaderStep<Event>>;
    write: (data: string, step: ReaderStep<Event>) => StreamStep;
  },
): Generator<void, StreamStep> {
  if (!isLong(data)) {
    return push(data);
  }
  const step = yield* read();
  yield;
  return write(data, step);
}

const nextOf = (parts: Iterable<string> | null | undefined): IteratorResult<string> =>
  parts?.[Symbol.iterator]().next() ?? { done: true, value: undefined };

/** Passes a reader's events to a writer. The text of a long event waits, and the gateway takes it in parts. */
export function joinStream<Event>(reader: StreamReader<Event>, writer: StreamWriter<Event>): AnswerStream {
  const repetition = writer.isVerbatim ? new EventTemplateCache() : null;
  const words = new LongWords();
  let isOver = false;
  let { blockChanges } = reader;
  const isCut = () => writer.isCut === true && !isOver && !reader.isFinished;
  const writeShort = (data: string, events: Event[]): string | null => {
    const last = events.at(-1);
    const eventText = last === undefined ? null : reader.textOf(last);
    // Events that wait, or that are missing, may come before the event of this data.
    let lastText = "";
    const writeEach = (event: Event) => {
      lastText = writer.write(event);
      return lastText;
    };
    const text = unlessTooDeep(() => words.inTurn(() => events.map(writeEach).join("")));
    if (eventText !== null && text?.endsWith(lastText) && lastText !== "") {
      repetition?.learn(data, eventText, lastText);
    }
    return text;
  };
  const writeLong = (events: Event[]): string => {
    const parts = partsOf(writer, events);
    // The gateway takes an event without text for silence.
    const first = words.inTurn(() => parts.next().value ?? "");
    words.later(parts);
    return first;
  };
  const write = (data: string, step: ReaderStep<Event>): StreamStep => {
    isOver ||= step.kind === "done";
    if (step.kind === "ping") {
      return { kind: "frames", text: words.inTurn(() => writer.keepAlive()), isWork: false };
    }
    if (step.kind !== "events") {
      return step;
    }
    if (reader.blockChanges !== blockChanges) {
      repetition?.forget();
      ({ blockChanges } = reader);
    }
    const text = isLong(data) ? writeLong(step.events) : writeShort(data, step.events);
    return text === null ? { kind: "malformed" } : { kind: "frames", text, isWork: true };
  };
  const push = (data: string): StreamStep => {
    const again = repetition?.fill(data);
    if (again) {
      reader.count(again);
      return { kind: "frames", text: words.say(again.written), isWork: true };
    }
    return write(data, atOnce(readEvent(reader, data)));
  };
  /** The next waiting text. That of the writer was written before the other. */
  const next = (): IteratorResult<string> => {
    const written = nextOf(writer.rest?.());
    return written.done ? nextOf(words.rest()) : written;
  };
  return {
    get isStarted() {
      return reader.isStarted;
    },
    get isFinished() {
      return reader.isFinished;
    },
    get isCut() {
      return isCut();
    },
    get isCounted() {
      return reader.isCounted === true;
    },
    get doubt() {
      return reader.doubt ?? null;
    },
    keepAlive: () => writer.keepAlive(),
    push,
    pushInSteps: (data) => pushInSteps(data, { push, read: () => readEvent(reader, data), write }),
    ending: () =>
      words.inTurn(() => {
        const failure = writer.isCut ? null : (reader.failure ?? null);
        if (failure !== null) {
          // A call stays open: its end would tell the client that it is whole.
          return writer.fail(failure);
        }
        const owed = reader.owed().map((event) => writer.write(event));
        return owed.join("") + writer.end(reader.settled(!isCut()));
      }),
    failing: (error) => words.inTurn(() => writer.fail(error)),
    rest: () => ((writer.rest?.() ?? words.rest()) === null ? null : { [Symbol.iterator]: () => ({ next }) }),
    settled: (isComplete) => reader.settled(isComplete && !isCut()),
  };
}
