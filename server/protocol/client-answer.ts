/** A client's answer from an upstream's: a reader of the upstream's dialect, and a writer of the client's. */
import type { JsonObject } from "./fields";
import { Repetition } from "./repetition";
import type {
  AnswerStream,
  Counted,
  ReadAnswer,
  ReaderStep,
  StreamReader,
  StreamStep,
  StreamWriter,
} from "./upstream-plan";

function nullIfTooDeep(error: unknown): null {
  if (error instanceof RangeError) {
    return null;
  }
  throw error;
}

/** Prints an upstream's words. null: they are nested deeper than can be printed. No honest answer is. */
export function unlessTooDeep<T>(print: () => T): T | null {
  try {
    return print();
  } catch (error) {
    return nullIfTooDeep(error);
  }
}

/** Prints an upstream's words in steps between which the work may rest. null: as above. */
export function* unlessTooDeepInSteps<T>(printing: Generator<void, T>): Generator<void, T | null> {
  try {
    return yield* printing;
  } catch (error) {
    return nullIfTooDeep(error);
  }
}

/** The client's body of an answer: the answer as it was read, or the body that `write` makes of it. */
export function* inClientWords(
  read: (Counted & { answer: JsonObject }) | null,
  write?: (answer: JsonObject) => Generator<void, JsonObject>,
): Generator<void, ReadAnswer> {
  const body = read && write ? yield* unlessTooDeepInSteps(write(read.answer)) : (read?.answer ?? null);
  if (!read || body === null) {
    return read ? "unusable" : "malformed";
  }
  const { usage, source, hasOtherModel } = read;
  return { usage, source, ...(hasOtherModel && { hasOtherModel }), body };
}

/** A reader's events through a writer. */
export function joinStream<Event>(reader: StreamReader<Event>, writer: StreamWriter<Event>): AnswerStream {
  const repetition = writer.isVerbatim ? new Repetition() : null;
  let isOver = false;
  const isCut = () => writer.isCut === true && !isOver && !reader.isFinished;
  const read = (data: string): ReaderStep<Event> => {
    const step = reader.read(data);
    isOver ||= step.kind === "done";
    return step;
  };
  const write = (data: string, step: ReaderStep<Event>): StreamStep => {
    if (step.kind === "ping") {
      return { kind: "frames", text: writer.keepAlive(), isWork: false };
    }
    if (step.kind !== "events") {
      return step;
    }
    const [event, ...more] = step.events;
    const said = event !== undefined && more.length === 0 ? reader.textOf(event) : null;
    const text = unlessTooDeep(() => step.events.map((each) => writer.write(each)).join(""));
    if (text === null) {
      return { kind: "malformed" };
    }
    if (said !== null) {
      repetition?.learn(data, said, text);
    }
    return { kind: "frames", text, isWork: true };
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
    keepAlive: () => writer.keepAlive(),
    push: (data) => {
      const again = repetition?.fill(data);
      if (again) {
        reader.count(again);
        return { kind: "frames", text: again.written, isWork: true };
      }
      return write(data, read(data));
    },
    pushLong: function* (data) {
      const step = read(data);
      yield;
      const written = write(data, step);
      yield;
      return written;
    },
    ending: () => {
      const owed = reader.owed().map((event) => writer.write(event));
      return owed.join("") + writer.end(reader.settled(!isCut()));
    },
    failing: (error) => writer.fail(error),
    rest: () => writer.rest?.() ?? null,
    settled: (isComplete) => reader.settled(isComplete && !isCut()),
  };
}
