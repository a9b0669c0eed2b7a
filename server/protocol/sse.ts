import { createParser } from "eventsource-parser";

/** An event larger than this is no event of any vendor's. */
const MAX_EVENT_CHARACTERS = 16 * 1024 * 1024;

/**
 * What the network delivered at once. `isAlive`: with a comment among it, by which vendors say that they are at work.
 */
export type EventGroup = { events: string[]; isAlive: boolean };

/**
 * The `data` of each event, grouped as the network delivered them (a group may be empty: a comment, half an event).
 * Takes any framing the standard allows: CRLF, byte order mark, code points cut anywhere, no blank line at the end.
 */
export async function* readEventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<EventGroup> {
  const decoder = new TextDecoder();
  let group: EventGroup = { events: [], isAlive: false };
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: (event) => group.events.push(event.data),
    onComment: () => {
      group.isAlive = true;
    },
    onError: (error) => {
      if (error.type !== "unknown-field" && error.type !== "invalid-retry") {
        throw error;
      }
    },
  });
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    const delivered = group;
    group = { events: [], isAlive: false };
    yield delivered;
  }
  parser.feed(`${decoder.decode()}\n\n`);
  yield group;
}

/** One event as text; `data` must be one line. */
export const eventFrame = (data: string) => `data: ${data}\n\n`;

/** One named event, as the messages dialect wants it; `data` must be one line. */
export const namedEventFrame = (event: string, data: string) => `event: ${event}\ndata: ${data}\n\n`;
