/**
 * The gateway cuts answers at the stop sequences that an upstream's model does not take, as if the model had stopped. The
 * result depends on the text alone, and never on its pieces: the sequence that is complete first wins, as it would stop a
 * model that writes token by token.
 */
import { details } from "@/server/base/details";
import { cannotConvert } from "./cannot-convert";
import type { Capabilities, Dialect } from "./capabilities";

/** Limits far above those of any vendor: each piece of a stream is searched for all sequences, and that takes time. */
const MOST_CUT = 32;
const MAX_CHARACTERS = 256;

/** `sent`: those that the upstream takes. `cut`: those at which its answer is cut here. */
type Shared = { sent: string[]; cut: string[] };

/**
 * Throws cannotConvert where the answer would have to be cut at more or longer sequences than these limits. `field`: the
 * client's.
 */
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
 * How much of one stop sequence the end of a growing text matches. It looks at each character once, however much of the
 * text resembles the sequence (Knuth, Morris, Pratt).
 */
class Growing {
  readonly stop: string;
  length = 0;
  private readonly codes: Uint16Array;
  /** For each beginning of the sequence, the length of its longest shorter beginning that is also its end. */
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

  /** Whether this character completes the sequence. */
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

/** A token of the text, for a client that asked for tokens. */
type Token = { token?: unknown };

/** The text that may go out, and the tokens that end in it. */
type Said<T> = { text: string; tokens: T[] };

const lengthOf = ({ token }: Token): number => (typeof token === "string" ? token.length : 0);

/** One text of an answer as it grows, up to a stop sequence. A possible beginning of a sequence waits for what follows it. */
export class CutText<T extends Token> {
  /** The longest first: where several complete at once, no part of the longest goes out. */
  readonly #stops: Growing[];
  #held = "";
  readonly #tokens: T[] = [];
  /** Characters that went out and whose tokens did not. */
  #ahead = 0;
  #found: string | null = null;

  constructor(stops: readonly string[]) {
    this.#stops = [...stops].sort((one, other) => other.length - one.length).map((stop) => new Growing(stop));
  }

  /** The sequence that cut the text. */
  get found(): string | null {
    return this.#found;
  }

  /** The part of the new text that may go out. Nothing after a stop. */
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

  /** Searches the new text, up to a stop. Answers how many of the last characters wait. */
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

  /** The waiting text, once the answer has ended. */
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
