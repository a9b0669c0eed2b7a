import pino, { type DestinationStream, type Logger } from "pino";

export type Log = Logger;

const MAX_CAUSES = 6;
const MAX_CHARACTERS = 300;

function chainOf(error: Error): Error[] {
  const chain = [error];
  for (let link = error.cause; link instanceof Error && chain.length < MAX_CAUSES; link = link.cause) {
    chain.push(link);
  }
  return chain;
}

/**
 * An error's message without quotations: parsers quote the text, PostgreSQL the value, and an error with `quotes` has
 * its message from a client or an upstream. Drizzle's message contains the query's parameters.
 */
function wordsOf(error: Error): string {
  if ("quotes" in error || "params" in error || error.name === "ZodError") {
    return error.name;
  }
  return error.message.replace(/["'`\u201c][\s\S]*["'`\u201d]/, "\u2026").slice(0, MAX_CHARACTERS);
}

const textIn = (error: Error, name: string): string | undefined => {
  const value: unknown = Object.entries(error).find(([key]) => key === name)?.[1];
  return typeof value === "string" ? value.slice(0, 2_000) : undefined;
};

/** The lines of a stack that are code positions, without the message above them. */
const placesOf = ({ stack = "" }: Error): string[] =>
  stack
    .split("\n")
    .filter((line) => /^ {4}at \S/.test(line))
    .map((line) => line.trim().slice(0, MAX_CHARACTERS));

/**
 * The loggable form of an error: its type, code and stack, and the messages of it and its causes without quotations;
 * for a failed query, its text without parameters. For any other thrown value, only its type.
 */
export function describeError(thrown: unknown): unknown {
  // next-auth wraps errors this way.
  const error: unknown =
    typeof thrown === "object" && thrown !== null && "error" in thrown ? thrown.error : thrown;
  if (!(error instanceof Error)) {
    return { type: typeof error };
  }
  const chain = chainOf(error);
  const first = (name: string) => chain.map((link) => textIn(link, name)).find((text) => text !== undefined);
  return {
    type: error.constructor.name,
    message: chain.map(wordsOf).join(": "),
    code: first("code"),
    reason: first("reason"),
    query: first("query"),
    stack: placesOf(error),
  };
}

/** A pipe takes a write of this size whole (POSIX). Several processes write to it, and their lines must stay whole. */
const WHOLE_WRITE = 4_096;

/**
 * Lines are collected for a moment: one write per line took a fifth of a call's processor time, and so did handing
 * writes to another thread. A process that ends, also by an error, writes the rest.
 */
function stdout(): DestinationStream {
  let isEnding = false;
  const sink = pino.destination({
    fd: 1,
    sync: true,
    minLength: WHOLE_WRITE - 1,
    maxWrite: WHOLE_WRITE,
    periodicFlush: 250,
    retryEAGAIN: () => !isEnding,
  });
  process.once("exit", () => {
    isEnding = true;
    try {
      sink.flush();
    } catch {
      // The pipe has no reader, so the rest is dropped: a process that ends does not wait.
    }
  });
  return sink;
}

/** Limits of lines with one message in a window: about one subject, and in total. */
const MAX_PER_SUBJECT = 20;
const MAX_IN_TOTAL = 200;
const WINDOW_MS = 60_000;

/** Members that identify a subject: there are many of each, and one can fail separately. */
const SUBJECTS = ["channelId", "channel", "accountId"];

/** The subject of a line, if it names one. */
function subjectOf(line: unknown): Record<string, string> {
  const members = typeof line === "object" && line !== null ? Object.entries(line) : [];
  const subject = members.filter(
    (member): member is [string, string] => SUBJECTS.includes(member[0]) && typeof member[1] === "string",
  );
  return Object.fromEntries(subject);
}
type LineCount = { lines: number; leftOut: number };
type LogLine = { message: string; subject: Record<string, string> };
type Window = { all: LineCount; each: Map<string, LineCount & Pick<LogLine, "subject">>; tell: TellLeftOut };
/** Logs how many lines with this message were left out; `subject`: empty if they had several subjects. */
type TellLeftOut = (left: LogLine & { leftOut: number }) => void;

/** Counts a line, and returns whether it is among the first `limit`. */
function isAmong(limit: number, count: LineCount): boolean {
  const isSaid = count.lines < limit;
  count.lines += isSaid ? 1 : 0;
  count.leftOut += isSaid ? 0 : 1;
  return isSaid;
}

/**
 * Logs the first 20 lines of one message per minute and subject, and 200 in total. The number of suppressed lines is
 * logged when the minute is over or the process ends.
 */
function createLineLimit() {
  // At most one window per message in the code; each has at most as many subjects as logged lines.
  const windows = new Map<string, Window>();
  const close = (message: string): void => {
    const { all, each, tell } = windows.get(message) ?? {};
    windows.delete(message);
    for (const { subject, leftOut } of [
      ...(each?.values() ?? []),
      { subject: {}, leftOut: all?.leftOut ?? 0 },
    ]) {
      if (leftOut > 0) {
        tell?.({ message, subject, leftOut });
      }
    }
  };
  let willTell = false;
  // Runs before the exit listener that writes the last lines.
  const tellAtExit = () => {
    if (!willTell) {
      willTell = true;
      process.prependOnceListener("exit", () => [...windows.keys()].forEach(close));
    }
  };
  return ({ message, subject }: LogLine, tell: TellLeftOut): boolean => {
    const open = windows.get(message);
    const window = open ?? { all: { lines: 0, leftOut: 0 }, each: new Map(), tell };
    if (!open) {
      windows.set(message, window);
      setTimeout(() => close(message), WINDOW_MS).unref();
    }
    const key = JSON.stringify(subject);
    const subjectCount = window.each.get(key) ?? { lines: 0, leftOut: 0, subject };
    // A line whose own subject is over its limit does not count against the total.
    const isSaid =
      subjectCount.lines < MAX_PER_SUBJECT
        ? isAmong(MAX_IN_TOTAL, window.all) && isAmong(MAX_PER_SUBJECT, subjectCount)
        : isAmong(MAX_PER_SUBJECT, subjectCount);
    if (subjectCount.lines > 0) {
      window.each.set(key, subjectCount);
    }
    if (!isSaid) {
      tellAtExit();
    }
    return isSaid;
  };
}

/** pino's numbers of levels; fatal is higher. */
const [WARN, ERROR] = [40, 50];

/** Marks lines about money: each names a call, so none is suppressed. */
export const OF_MONEY = { about: "money" } as const;

const isOfMoney = (line: unknown): boolean =>
  typeof line === "object" && line !== null && "about" in line && line.about === OF_MONEY.about;

/** Members that are always redacted. */
const SECRET = ["authorization", "secret", "password"];

/**
 * Structured log. `name`: the process's name within the server. Secrets are redacted by path; callers never pass bodies
 * or upstream messages. Errors are written at once, because a line may be all that is left of a charge, and the process
 * may be killed. Lines about ended calls (`flatLog`) are not, because there may be very many. A repeated warning is
 * logged 20 times a minute per channel or account and then counted. Errors, and warnings marked `OF_MONEY`, are always
 * logged.
 */
export function createLog(level: string, sink: DestinationStream = stdout(), name?: string): Log {
  const mayBeSaid = createLineLimit();
  return pino(
    {
      level,
      ...(name === undefined ? { base: undefined } : { base: { process: name } }),
      redact: SECRET.flatMap((name) => [name, `*.${name}`]),
      serializers: { err: describeError },
      timestamp: pino.stdTimeFunctions.isoTime,
      hooks: {
        logMethod(line, write, level) {
          const text: unknown = line.at(-1);
          const isLimited = level === WARN && typeof text === "string" && !isOfMoney(line[0]);
          const tell: TellLeftOut = ({ message, subject, leftOut }) =>
            write.call(this, { ...subject, leftOut }, message);
          if (isLimited && !mayBeSaid({ message: text, subject: subjectOf(line[0]) }, tell)) {
            return;
          }
          write.apply(this, line);
          if (level >= ERROR) {
            this.flush();
          }
        },
      },
    },
    sink,
  );
}

type Value = string | number | boolean | null | undefined;

/**
 * The permitted values of a flat line. An error is described as in the main log. Objects in a list must not contain
 * secrets.
 */
type FlatLine<Line> = {
  [Name in keyof Line]: Name extends "err" ? unknown : Value | readonly Record<string, Value>[];
};

type WriteFlat = <Line extends FlatLine<Line>>(line: Line, message: string) => void;

export type FlatLog = { info: WriteFlat; error: WriteFlat };

/** Usually the line itself; otherwise a copy with redacted secrets and a described error. */
function shownOf<Line extends FlatLine<Line>>(line: Line): object {
  const secrets = SECRET.filter((name) => Object.hasOwn(line, name));
  return secrets.length > 0 || "err" in line
    ? {
        ...line,
        ...Object.fromEntries(secrets.map((name) => [name, "[Redacted]"])),
        ...("err" in line && { err: describeError(line.err) }),
      }
    : line;
}

/** The members of an object as JSON, without its brackets. */
const membersOf = (object: object): string => JSON.stringify(object).slice(1, -1);

/**
 * A faster log for lines without nested objects, of which each call writes one or two. It writes the same text as pino,
 * but serialises a line at once: pino serialises member by member, and searches each for secrets (docs/decisions/0029).
 */
export function flatLog(log: Log): FlatLog {
  const sink = Reflect.get(log, pino.symbols.streamSym) as DestinationStream;
  const bindings = membersOf(log.bindings());
  const write = (name: "info" | "error"): WriteFlat => {
    const level = log.levels.values[name];
    return (line, message) => {
      if (log.isLevelEnabled(name)) {
        const head = membersOf({ level, time: new Date().toISOString() });
        const parts = [head, bindings, membersOf(shownOf(line)), membersOf({ msg: message })];
        sink.write(`{${parts.filter((part) => part !== "").join(",")}}\n`);
      }
    };
  };
  return { info: write("info"), error: write("error") };
}
