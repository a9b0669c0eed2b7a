import { createParser } from "eventsource-parser";

/** An event larger than this is no event of any vendor's. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/** Kinds of events that their dialects name twice: in the event, and in its data. */
const NAMED = /^(?:message_|content_block_|response\.|ping$|error$)/;
/** The beginning of most vendors' events. */
const NAMES_TYPE = /^\s*\{\s*"type"\s*:/;
const EMPTY_OBJECT = /^\s*\{\s*\}/;

/**
 * The data of an event with its kind in it, which some vendors write into the name of the event alone. A kind that the data
 * has further on wins: of two members with one name, every parser takes the last.
 */
function withType(data: string, name: string | undefined): string {
  if (name === undefined || !NAMED.test(name) || NAMES_TYPE.test(data) || !/^\s*\{/.test(data)) {
    return data;
  }
  const rest = data.slice(data.indexOf("{") + 1);
  return `{"type":${JSON.stringify(name)}${EMPTY_OBJECT.test(data) ? "" : ","}${rest}`;
}

/**
 * What the network delivered at once. `isAlive`: with a comment among it, by which vendors say that they are at work.
 */
export type EventGroup = { events: string[]; isAlive: boolean };

/** Adds the `data` of each event that it is fed to the group that stands there then. Throws at an event that is too large. */
const createEventParser = (group: () => EventGroup) =>
  createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: ({ data, event }) => group().events.push(withType(data, event)),
    onComment: () => {
      group().isAlive = true;
    },
    onError: (error) => {
      if (error.type !== "unknown-field" && error.type !== "invalid-retry") {
        throw error;
      }
    },
  });

/** Blanks before the first event: more of them stand before no stream. */
const MAX_BLANKS = 1024 * 1024;

/** Whether a text is a stream of events: no JSON begins with the name of a field, nor with a comment. */
export const isEventStream = (text: string): boolean =>
  /^\s*(?:data|event|id|retry)?:/.test(text.slice(0, MAX_BLANKS));

/** Of a text that is parsed at once. */
const SLICE_CHARACTERS = 256 * 1024;

/**
 * The `data` of each event of a stream that has come as a whole, parsed no further than the reader asks for; null where
 * the reader may rest.
 */
export function* eventsIn(text: string): Generator<string | null> {
  const group: EventGroup = { events: [], isAlive: false };
  const parser = createEventParser(() => group);
  for (let from = 0; from < text.length; from += SLICE_CHARACTERS) {
    parser.feed(text.slice(from, from + SLICE_CHARACTERS));
    yield* group.events.splice(0);
    yield null;
  }
  parser.feed("\n\n");
  yield* group.events;
}

/**
 * The `data` of each event, grouped as the network delivered them (a group may be empty: a comment, half an event).
 * Takes any framing the standard allows: CRLF, byte order mark, code points cut anywhere, no blank line at the end.
 */
export function readEventData(body: AsyncIterable<Uint8Array>): AsyncIterableIterator<EventGroup> {
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
  // No generator, which would have each group pass through three promises more.
  return {
    next: async () => {
      if (isOver) {
        return { done: true, value: undefined };
      }
      const piece = await pieces.next();
      isOver = piece.done === true;
      try {
        return take(piece.done ? `${decoder.decode()}\n\n` : decoder.decode(piece.value, { stream: true }));
      } catch (error) {
        await stop();
        throw error;
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

/** One named event, as the messages dialect wants it; `data` must be one line. */
export const namedEventFrame = (event: string, data: string) => `event: ${event}\ndata: ${data}\n\n`;
