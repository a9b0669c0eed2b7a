/** The one text of an event that nothing else depends on, and what it is counted as. */
export type EventText = { text: string; isReasoning: boolean };

/** JSON text around one of its strings, quotes included. */
type Frame = { before: string; after: string };

/** What an event looks like around its text as it comes, and as it goes out. */
type Shape = { read: Frame; written: Frame; isReasoning: boolean };

/** A slice of a text keeps all of that text, which may be a slice itself: of all that the network had delivered at once. */
const own = (slice: string): string => Buffer.from(slice).toString();

/** What is around a text that stands somewhere in JSON, once. null: it stands there twice, or written otherwise. */
function frameAround(json: string, text: string): Frame | null {
  const literal = JSON.stringify(text);
  const place = json.indexOf(literal);
  return place === -1 || json.indexOf(literal, place + 1) !== -1
    ? null
    : { before: own(json.slice(0, place + 1)), after: own(json.slice(place + literal.length - 1)) };
}

const isSameFrame = (one: Frame, other: Frame) => one.before === other.before && one.after === other.after;

const isSame = (one: Shape, other: Shape) =>
  isSameFrame(one.read, other.read) &&
  isSameFrame(one.written, other.written) &&
  one.isReasoning === other.isReasoning;

/** A string as it stands in JSON that was not escaped, and needs not be. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them
const PLAIN = /^[^"\\\x00-\x1f]+$/;

/** What stands between two quotes says, if it is one string: or an event has other members than the one before. */
function decode(written: string): string | null {
  try {
    const text: unknown = JSON.parse(`"${written}"`);
    return typeof text === "string" ? text : null;
  } catch {
    return null;
  }
}

/** Some upstreams make every event different. So many are tried in vain. */
const MAX_TRIES = 64;

/**
 * Most events of a stream differ from the one before in a word, and what becomes of them does in the same one. Two of
 * a kind with two words show what is around it: a text that only happens to stand elsewhere, too, where it is not read
 * or is left out, does not change with the word. Those that follow are neither parsed nor printed, which is two thirds
 * of what an event costs.
 */
export class Repetition {
  #shape: Shape | null = null;
  #text = "";
  #isSure = false;
  #tries = MAX_TRIES;

  /** Notes what an event was read as and written as. */
  learn(data: string, event: EventText, written: string): void {
    // Where nothing is escaped, each text stands as it is.
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

  /** The event, and what is to be written for it, where it is one more of its kind. */
  fill(data: string): (EventText & { written: string }) | null {
    if (this.#shape === null || !this.#isSure) {
      return null;
    }
    const { read, written, isReasoning } = this.#shape;
    const { length } = data;
    const end = length - read.after.length;
    // Without any text an event may be another one: a vendor's thinking that says nothing is left out.
    // `startsWith` and `endsWith` take several times as long as to compare slices, which are views.
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
