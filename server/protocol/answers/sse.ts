import { createParser } from "eventsource-parser";
import { beginningOf, type LongText, slicesOfAll } from "@/server/base/slices";
import { isJsonObject } from "../fields";
import { printText } from "../json/print";
import { isSignOfLife } from "./event-json";

/** No vendor sends an event larger than this. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/** Event types that their dialects state twice: in the event's name, and in its data. */
const NAMED = /^(?:message_|content_block_|response\.|ping$|error$)/;
/** Most vendors' events start like this. */
const NAMES_TYPE = /^\s*\{\s*"type"\s*:/;
const EMPTY_OBJECT = /^\s*\{\s*\}/;

/**
 * Adds the event's type to its data; some vendors send it only as the event's name. A type later in the data wins: if a
 * name is repeated, every parser takes the last member.
 */
function withType(data: string, name: string | undefined): string {
  if (name === undefined || !NAMED.test(name) || NAMES_TYPE.test(data) || !/^\s*\{/.test(data)) {
    return data;
  }
  const rest = data.slice(data.indexOf("{") + 1);
  return `{"type":${JSON.stringify(name)}${EMPTY_OBJECT.test(data) ? "" : ","}${rest}`;
}

/**
 * The events that the network delivered together. `isAlive`: a comment was among them, by which vendors show that they
 * are at work.
 */
export type EventGroup = { events: string[]; isAlive: boolean };

/** The end of a chat stream, as some vendors spell it. */
const DONE = /^\s*"?\[done\]"?\s*$/i;
/** A line that is a whole JSON object, or the end of a stream. */
const WHOLE_LINE = /^\s*(?:\{.*\}|"?\[done\]"?)\s*$/is;
/** Data that has no content. */
const NOTHING = /^\s*(?:null|""|\{\s*\}|\[\s*\])\s*$/;
/** The field's name, which some gateways in between write twice. */
const FIELD_NAME = /^\s*data:\s*(?=[{[])/;

/** The events in one event's data: vendors that leave out the blank lines send several as one. */
function eachEvent(data: string): string[] {
  const lines = data.includes("\n") ? data.split("\n") : [];
  return lines.length > 1 && lines.every((line) => WHOLE_LINE.test(line)) ? lines : [data];
}

const usualEvent = (data: string): string => (DONE.test(data) ? "[DONE]" : data.replace(FIELD_NAME, ""));

/** Whether an event only shows that its vendor is at work: it has no content, and no name that has a meaning. */
const isHeartbeat = (data: string, name: string | undefined): boolean =>
  (name !== undefined && name !== "ping" && isSignOfLife(name)) ||
  (NOTHING.test(data) && (name === undefined || !NAMED.test(name)));

/** Adds the `data` of each event to the current group. Throws at an event that is too large. */
const createFieldParser = (group: () => EventGroup) =>
  createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: ({ data, event }) => {
      if (isHeartbeat(data, event)) {
        group().isAlive = true;
        return;
      }
      for (const each of eachEvent(data)) {
        group().events.push(withType(usualEvent(each), event));
      }
    },
    onComment: () => {
      group().isAlive = true;
    },
    onError: (error) => {
      if (error.type === "unknown-field" && error.line !== undefined && WHOLE_LINE.test(error.line)) {
        group().events.push(usualEvent(error.line));
      }
      if (error.type !== "unknown-field" && error.type !== "invalid-retry") {
        throw error;
      }
    },
  });

/** The beginning of a line of JSON without a field's name. */
const BARE_JSON = /^[ \t]*(?:\{|[ \t]$)/;

/**
 * Adds the `data` of each event to the current group. Some vendors send lines of JSON without a field's name: each is
 * an event. The parser drops the beginning of such a line if the network cuts it, so it gets only whole ones. Throws at
 * an event that is too large.
 */
function createEventParser(group: () => EventGroup): { feed: (text: string) => void } {
  const parser = createFieldParser(group);
  /** A line of JSON whose end has not come. */
  let pending = "";
  let isAtLineStart = true;
  return {
    feed: (text) => {
      const end = Math.max(text.lastIndexOf("\n"), text.lastIndexOf("\r")) + 1;
      if (end === 0 && pending !== "") {
        pending += text;
        if (pending.length > MAX_EVENT_CHARACTERS) {
          throw new Error(`a line has more than ${MAX_EVENT_CHARACTERS} characters`);
        }
        return;
      }
      const last = text.slice(end);
      const isBare = (end > 0 || isAtLineStart) && BARE_JSON.test(last);
      parser.feed(pending + (isBare ? text.slice(0, end) : text));
      pending = isBare ? last : "";
      isAtLineStart = last === "";
    },
  };
}

/** The most white space before the first event; no stream has more. */
const MAX_BLANKS = 1024 * 1024;

/** The name of a field, or the beginning of a comment. */
const FIELD = "(?:data|event|id|retry)?:";
const STREAM = new RegExp(
  `^\\s*(?:${FIELD}|\\{[^\\n]*\\}[ \\t]*\\r?\\n\\s*(?:\\{|"?\\[done\\]|${FIELD}))`,
  "i",
);

/**
 * Whether a text is an event stream: no JSON starts with the name of a field, or with a comment, or has an object in
 * its first line and another one, a field or the end of a stream in its second.
 */
export const isEventStream = (text: LongText): boolean => STREAM.test(beginningOf(text, MAX_BLANKS));

/** Characters parsed between two pauses. */
const SLICE_CHARACTERS = 256 * 1024;

/**
 * The `data` of each event of a complete stream, parsed only as far as the reader asks; null where the reader may
 * pause.
 */
export function* eventsIn(text: LongText): Generator<string | null> {
  const group: EventGroup = { events: [], isAlive: false };
  const parser = createEventParser(() => group);
  for (const slice of slicesOfAll(text, SLICE_CHARACTERS)) {
    parser.feed(slice);
    yield* group.events.splice(0);
    yield null;
  }
  parser.feed("\n\n");
  yield* group.events;
}

/**
 * The events of a stream that came as a list (Gemini without `alt=sse`), as text; null where the reader may pause.
 * Throws for an event that cannot be printed.
 */
export function* eventsOfList(list: readonly unknown[]): Generator<string | null> {
  for (const event of list) {
    if (!isJsonObject(event)) {
      yield JSON.stringify(event);
      continue;
    }
    const printing = printText(event);
    let step = printing.next();
    while (!step.done) {
      yield null;
      step = printing.next();
    }
    yield step.value;
  }
}

/**
 * The `data` of each event, grouped as the network delivered them (a group may be empty: a comment, half an event).
 * Takes any framing that the standard allows: CRLF, byte order mark, code points cut anywhere, no blank line at the
 * end. `faultOf`: turns an error in the bytes into the one that the reader gets.
 */
export function readEventData(
  body: AsyncIterable<Uint8Array>,
  faultOf: (error: unknown) => unknown = (error) => error,
): AsyncIterableIterator<EventGroup> {
  const pieces = body[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let group: EventGroup = { events: [], isAlive: false };
  const parser = createEventParser(() => group);
  const take = (text: string): IteratorYieldResult<EventGroup> => {
    parser.feed(text);
    const delivered = group;
    group = { events: [], isAlive: false };
    return { done: false, value: delivered };
  };
  let isOver = false;
  const stop = async (): Promise<IteratorResult<EventGroup>> => {
    isOver = true;
    await pieces.return?.();
    return { done: true, value: undefined };
  };
  // Not a generator, which would pass each group through three more promises.
  return {
    next: async () => {
      if (isOver) {
        return { done: true, value: undefined };
      }
      try {
        const piece = await pieces.next();
        isOver = piece.done === true;
        try {
          if (!piece.done) {
            return take(decoder.decode(piece.value, { stream: true }));
          }
          const last = take(`${decoder.decode()}\n\n`);
          return last.value.events.length > 0 || last.value.isAlive ? last : { done: true, value: undefined };
        } catch (error) {
          await stop();
          throw error;
        }
      } catch (error) {
        throw faultOf(error);
      }
    },
    return: stop,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** One event as text; `data` must be one line. */
export const eventFrame = (data: string) => `data: ${data}\n\n`;

/** One named event, as the messages dialect requires; `data` must be one line. */
export const namedEventFrame = (event: string, data: string) => `event: ${event}\ndata: ${data}\n\n`;
