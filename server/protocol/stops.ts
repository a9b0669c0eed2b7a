/**
 * Stop sequences that an upstream's model does not take: the answer is cut here, as if the model had stopped. What is found
 * depends on the text alone and never on the pieces in which it comes: the sequence that is whole first, as it would have
 * stopped a model that writes token by token.
 */
import { details } from "@/server/base/details";
import { cannotConvert } from "./cannot-convert";
import type { Capabilities, Dialect } from "./capabilities";

/** Each piece of a stream is searched for all of them: far more and longer ones than any vendor takes cost time only. */
const MOST_CUT = 32;
const MAX_CHARACTERS = 256;

/** `sent`: those that the upstream takes. `cut`: those at which its answer is cut here. */
type Shared = { sent: string[]; cut: string[] };

/** Throws cannotConvert where more, or longer ones, were to be cut at than are searched for. `field`: the client's. */
export function shareStops(
  stops: readonly string[],
  { dialect, capabilities: { maxStops } }: { dialect: Dialect; capabilities: Pick<Capabilities, "maxStops"> },
  field: string,
): Shared {
  const wanted = [...new Set(stops)].filter((text) => text !== "");
  // Anthropic refuses a blank one.
  const takes = (text: string) => dialect !== "messages" || text.trim() !== "";
  // The Responses API has no member for them.
  const most = dialect === "responses" ? 0 : (maxStops ?? wanted.length);
  const sent = wanted.filter(takes).slice(0, most);
  const cut = wanted.filter((text) => !sent.includes(text));
  if (cut.length > MOST_CUT) {
    return cannotConvert(details.mostStops(field, sent.length + MOST_CUT));
  }
  return cut.some((text) => text.length > MAX_CHARACTERS)
    ? cannotConvert(details.longestStop(field, MAX_CHARACTERS))
    : { sent, cut };
}

/**
 * How far one stop sequence has come at the end of a text that grows: each character is looked at once, however much of the
 * text looks like the sequence (Knuth, Morris, Pratt).
 */
class Growing {
  readonly stop: string;
  length = 0;
  private readonly codes: Uint16Array;
  /** For each beginning of it, the length of the longest shorter one that it ends with. */
  private readonly shorter: Uint16Array;

  constructor(stop: string) {
    this.stop = stop;
    this.codes = Uint16Array.from({ length: stop.length }, (_, place) => stop.charCodeAt(place));
    this.shorter = new Uint16Array(stop.length);
    for (let place = 1; place < stop.length; place++) {
      this.read(this.codes[place] as number);
      this.shorter[place] = this.length;
    }
    this.length = 0;
  }

  /** Whether it is whole with this character. */
  read(code: number): boolean {
    const { codes, shorter } = this;
    let { length } = this;
    while (length > 0 && codes[length] !== code) {
      length = shorter[length - 1] as number;
    }
    this.length = codes[length] === code ? length + 1 : length;
    return this.length === codes.length;
  }
}

/** A token of the text, where the client is told of them. */
type Token = { token?: unknown };

/** What may be said: a text, and the tokens that end in it. */
type Said<T> = { text: string; tokens: T[] };

const lengthOf = ({ token }: Token): number => (typeof token === "string" ? token.length : 0);

/** One text of an answer, as it grows, up to a stop sequence. What could begin one waits for what follows it. */
export class CutText<T extends Token> {
  /** The longest first: of those that end together no part of it is said. */
  readonly #stops: Growing[];
  #held = "";
  readonly #tokens: T[] = [];
  /** Characters that were said, beyond the tokens that were told. */
  #ahead = 0;
  #found: string | null = null;

  constructor(stops: readonly string[]) {
    this.#stops = [...stops].sort((one, other) => other.length - one.length).map((stop) => new Growing(stop));
  }

  /** The sequence at which it was cut. */
  get found(): string | null {
    return this.#found;
  }

  /** What may be said of what it has grown by; nothing after a stop. */
  read(text: string, tokens: readonly T[] = []): Said<T> {
    if (this.#found !== null) {
      return { text: "", tokens: [] };
    }
    const whole = this.#held + text;
    for (const token of tokens) {
      this.#tokens.push(token);
    }
    const held = this.#advance(text);
    const end = whole.length - held;
    this.#held = this.#found === null ? whole.slice(end) : "";
    return this.#say(whole.slice(0, end));
  }

  /** Looks through what it has grown by, up to a stop. How many of the last characters are not said. */
  #advance(text: string): number {
    for (let place = 0; place < text.length; place++) {
      const code = text.charCodeAt(place);
      let whole: Growing | null = null;
      for (const stop of this.#stops) {
        whole = stop.read(code) ? (whole ?? stop) : whole;
      }
      if (whole) {
        this.#found = whole.stop;
        return whole.stop.length + text.length - place - 1;
      }
    }
    return Math.max(0, ...this.#stops.map(({ length }) => length));
  }

  /** What has waited, once nothing follows it. */
  rest(): Said<T> {
    const text = this.#held;
    this.#held = "";
    for (const stop of this.#stops) {
      stop.length = 0;
    }
    return { text, tokens: this.#found === null ? this.#tokens.splice(0) : [] };
  }

  #say(text: string): Said<T> {
    this.#ahead += text.length;
    let told = 0;
    for (const token of this.#tokens) {
      if (lengthOf(token) > this.#ahead) {
        break;
      }
      this.#ahead -= lengthOf(token);
      told++;
    }
    return { text, tokens: this.#tokens.splice(0, told) };
  }
}
