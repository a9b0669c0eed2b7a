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
 * An error's words without what they quote: parsers quote the text, PostgreSQL the value, and an error that says
 * `quotes` has its words from a client or an upstream. Drizzle's has the query's parameters in them.
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

/** Where it was thrown: the lines of a stack that are places, without the words above them. */
const placesOf = ({ stack = "" }: Error): string[] =>
  stack
    .split("\n")
    .filter((line) => /^ {4}at \S/.test(line))
    .map((line) => line.trim().slice(0, MAX_CHARACTERS));

/**
 * An error as it is logged: its kind, code and place, its own words and its causes', never what they quote; of a
 * failed query its text without parameters. Of anything else that was thrown, only that it was.
 */
export function describeError(thrown: unknown): unknown {
  // As next-auth hands them over.
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

/** What a pipe takes in one piece (POSIX): several processes write to it, and their lines must stay whole. */
const WHOLE_WRITE = 4_096;

/**
 * Lines are collected for a moment: a write each was a fifth of a call's processor time, and so was handing the write
 * to another thread. A process that ends, by a fault too, writes what it has.
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
      // Nobody reads, and nobody is left to tell: who ends waits for no reader.
    }
  });
  return sink;
}

/** Lines with one message about one thing that are said in a while, and about all things together. */
const MOST = 20;
const MOST_OF_ALL = 200;
const WINDOW_MS = 60_000;

/** What there are many of, and one of them ails by itself. */
const SUBJECTS = ["channelId", "channel", "accountId"];

/** What a line is about, as far as it says so. */
function subjectOf(line: unknown): Record<string, string> {
  const members = typeof line === "object" && line !== null ? Object.entries(line) : [];
  const subject = members.filter(
    (member): member is [string, string] => SUBJECTS.includes(member[0]) && typeof member[1] === "string",
  );
  return Object.fromEntries(subject);
}
type Count = { said: number; leftOut: number };
type Line = { message: string; subject: Record<string, string> };
type Window = { all: Count; each: Map<string, Count & Pick<Line, "subject">>; tell: TellLeftOut };
/** Says how many lines with this message were left out; `subject`: about what, empty where it was about many things. */
type TellLeftOut = (left: Line & { leftOut: number }) => void;

/** Counts a line, and answers whether it is among the first `most`. */
function isAmong(most: number, count: Count): boolean {
  const isSaid = count.said < most;
  count.said += isSaid ? 1 : 0;
  count.leftOut += isSaid ? 0 : 1;
  return isSaid;
}

/**
 * Of lines with one message the first 20 in a minute about each thing are said, and 200 about all of them; of those that
 * follow it is said how many there were, when the minute is over or the process ends.
 */
function createLineLimit() {
  // As many as there are messages in the code; in each at most as many things as lines are said.
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
  // Before what writes the last lines, which listens for the same.
  const tellAtExit = () => {
    if (!willTell) {
      willTell = true;
      process.prependOnceListener("exit", () => [...windows.keys()].forEach(close));
    }
  };
  return ({ message, subject }: Line, tell: TellLeftOut): boolean => {
    const open = windows.get(message);
    const window = open ?? { all: { said: 0, leftOut: 0 }, each: new Map(), tell };
    if (!open) {
      windows.set(message, window);
      setTimeout(() => close(message), WINDOW_MS).unref();
    }
    const key = JSON.stringify(subject);
    const one = window.each.get(key) ?? { said: 0, leftOut: 0, subject };
    // A line that its own thing has said too often takes no place from another's.
    const isSaid =
      one.said < MOST ? isAmong(MOST_OF_ALL, window.all) && isAmong(MOST, one) : isAmong(MOST, one);
    if (one.said > 0) {
      window.each.set(key, one);
    }
    if (!isSaid) {
      tellAtExit();
    }
    return isSaid;
  };
}

/** As pino numbers its levels; what is fatal is above. */
const [WARN, ERROR] = [40, 50];

/** Marks a line that tells what befell money: each names a call, so none is counted instead of said. */
export const OF_MONEY = { about: "money" } as const;

const isOfMoney = (line: unknown): boolean =>
  typeof line === "object" && line !== null && "about" in line && line.about === OF_MONEY.about;

/** Members that are never shown. */
const SECRET = ["authorization", "secret", "password"];

/**
 * Structured log. `name`: which of a server's processes it is. Secrets are redacted by path; neither bodies nor an upstream's
 * words are ever passed to it. What went wrong is written at once, for a line may be all that is left of a charge, and
 * the process may be killed; what calls ended with (`flatLog`) is not, for that may be very many lines. A warning, which
 * is of what goes on by itself, is said 20 times a minute about each channel or account and then counted; an error always,
 * and so is a warning that is `OF_MONEY`.
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

/** What a flat line may hold; an error is described as everywhere. A list's members have no secrets among them. */
type Flat<Line> = {
  [Name in keyof Line]: Name extends "err" ? unknown : Value | readonly Record<string, Value>[];
};

type WriteFlat = <Line extends Flat<Line>>(line: Line, message: string) => void;

export type FlatLog = { info: WriteFlat; error: WriteFlat };

/** Of most lines, the line itself. */
function shownOf<Line extends Flat<Line>>(line: Line): object {
  const secrets = SECRET.filter((name) => Object.hasOwn(line, name));
  return secrets.length > 0 || "err" in line
    ? {
        ...line,
        ...Object.fromEntries(secrets.map((name) => [name, "[Redacted]"])),
        ...("err" in line && { err: describeError(line.err) }),
      }
    : line;
}

/**
 * The same log for lines that hold no objects, of which each call writes one or two: what pino would write, printed in
 * one go. Pino prints member by member, and looks for secrets below each (docs/decisions/0029).
 */
export function flatLog(log: Log): FlatLog {
  const sink = Reflect.get(log, pino.symbols.streamSym) as DestinationStream;
  const bindings = log.bindings();
  const write = (name: "info" | "error"): WriteFlat => {
    const level = log.levels.values[name];
    return (line, message) => {
      if (log.isLevelEnabled(name)) {
        const time = new Date().toISOString();
        sink.write(`${JSON.stringify({ level, time, ...bindings, ...shownOf(line), msg: message })}\n`);
      }
    };
  };
  return { info: write("info"), error: write("error") };
}
