/** The only text of an event that nothing else depends on, and how it is counted. */
export type EventText = { text: string; isReasoning: boolean };

/** JSON text around one of its strings, quotes included. */
type JsonFrame = { before: string; after: string };

/** The JSON around an event's text, as read and as written. */
type Shape = { read: JsonFrame; written: JsonFrame; isReasoning: boolean };

/**
 * Copies a slice: a slice keeps its whole text in memory, which may be a slice itself, of everything that the network
 * delivered at once.
 */
const own = (slice: string): string => Buffer.from(slice).toString();

/** The JSON around a text that occurs in it once. null: it occurs twice, or is written differently. */
function frameAround(json: string, text: string): JsonFrame | null {
  const literal = JSON.stringify(text);
  const place = json.indexOf(literal);
  return place === -1 || json.indexOf(literal, place + 1) !== -1
    ? null
    : { before: own(json.slice(0, place + 1)), after: own(json.slice(place + literal.length - 1)) };
}

const isSameFrame = (a: JsonFrame, b: JsonFrame) => a.before === b.before && a.after === b.after;

const isSame = (a: Shape, b: Shape) =>
  isSameFrame(a.read, b.read) && isSameFrame(a.written, b.written) && a.isReasoning === b.isReasoning;

/** A string that has no escapes in JSON and needs none. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const PLAIN = /^[^"\\\x00-\x1f]+$/;

/**
 * Decodes the text between two quotes. null: it is not one string, so the event has other members than the one before.
 */
function decode(written: string): string | null {
  try {
    const text: unknown = JSON.parse(`"${written}"`);
    return typeof text === "string" ? text : null;
  } catch {
    return null;
  }
}

/** Some upstreams make every event different: the attempts to learn stop after so many. */
const MAX_TRIES = 64;

/**
 * Most events of a stream differ from the one before in a single word, in both the read and the written form. Two
 * events of a kind with different words show the JSON around the word: a text that only happens to occur elsewhere,
 * too, where it is not read or is left out, does not change with the word. Later events of the kind are neither parsed
 * nor printed, which saves two thirds of an event's cost.
 */
export class EventTemplateCache {
  #shape: Shape | null = null;
  #text = "";
  #isSure = false;
  #tries = MAX_TRIES;

  /** Learns the read and the written form of an event. */
  learn(data: string, event: EventText, written: string): void {
    // Without escapes, each text occurs literally.
    if (this.#tries === 0 || data.includes("\\")) {
      return;
    }
    this.#tries--;
    const read = frameAround(data, event.text);
    const out = frameAround(written, event.text);
    const shape = read && out && { read, written: out, isReasoning: event.isReasoning };
    this.#isSure =
      shape !== null && this.#shape !== null && isSame(shape, this.#shape) && event.text !== this.#text;
    this.#shape = shape;
    this.#text = event.text;
  }

  /** Forgets what it learned: a new block may have the vendor's number of an earlier one. */
  forget(): void {
    this.#isSure = false;
    this.#shape = null;
  }

  /** Returns the event's text and its written form, if it is one more of its kind. */
  fill(data: string): (EventText & { written: string }) | null {
    if (this.#shape === null || !this.#isSure) {
      return null;
    }
    const { read, written, isReasoning } = this.#shape;
    const { length } = data;
    const end = length - read.after.length;
    // An event with an empty text may be another one: a vendor's empty thinking is left out.
    // `startsWith` and `endsWith` take several times as long as comparing slices, which are views.
    if (
      end <= read.before.length ||
      data.slice(0, read.before.length) !== read.before ||
      data.slice(end) !== read.after
    ) {
      return null;
    }
    const raw = data.slice(read.before.length, end);
    const isPlain = PLAIN.test(raw);
    const text = isPlain ? raw : decode(raw);
    if (text === null) {
      return null;
    }
    this.#tries = MAX_TRIES;
    const shown = isPlain ? raw : JSON.stringify(text).slice(1, -1);
    return { text, isReasoning, written: written.before + shown + written.after };
  }
}
