/**
 * The gateway cuts answers at the stop sequences that an upstream's model does not take, as if the model had stopped. The
 * result depends on the text alone, and never on its pieces: the sequence that is complete first wins, as it would stop a
 * model that writes token by token.
 */
import { errorMessages } from "@/server/base/error-messages";
import { slicesOf } from "@/server/base/slices";
import { cannotConvert } from "./cannot-convert";
import type { Capabilities, Dialect } from "./capabilities";
import { type StopTree, stopTreeOf } from "./stop-tree";

/** Far above the limits of any vendor: each piece of a stream is searched for all sequences, and that takes time. */
const MOST_CUT = 32;
const MAX_CHARACTERS = 256;

/** `upstreamStops`: the sequences that the upstream takes. `cut`: those at which the gateway cuts its answer. */
type Shared = { upstreamStops: string[]; cut: string[] };

/**
 * Splits the stop sequences. Throws cannotConvert if the gateway would have to cut at more or longer sequences than
 * these limits. `field`: the client's.
 */
export function shareStops(
  stops: readonly string[],
  { dialect, capabilities: { maxStops } }: { dialect: Dialect; capabilities: Pick<Capabilities, "maxStops"> },
  field: string,
): Shared {
  const sequences = [...new Set(stops)].filter((text) => text !== "");
  // Anthropic refuses a blank one.
  const takes = (text: string) => dialect !== "messages" || text.trim() !== "";
  // The Responses API has no member for them.
  const limit = dialect === "responses" ? 0 : (maxStops ?? sequences.length);
  const upstreamStops = sequences.filter(takes).slice(0, limit);
  const cut = sequences.filter((text) => !upstreamStops.includes(text));
  if (cut.length > MOST_CUT) {
    return cannotConvert(errorMessages.mostStops(field, upstreamStops.length + MOST_CUT));
  }
  return cut.some((text) => text.length > MAX_CHARACTERS)
    ? cannotConvert(errorMessages.longestStop(field, MAX_CHARACTERS))
    : { upstreamStops, cut };
}

/** A token of the text, for a client that asked for tokens. */
type Token = { token?: unknown };

/** The text that may go out, and the tokens that end in it. */
type ReleasedText<T> = { text: string; tokens: T[] };

const lengthOf = ({ token }: Token): number => (typeof token === "string" ? token.length : 0);

/**
 * One text of an answer as it grows, up to a stop sequence. A possible beginning of a sequence waits for the text after
 * it.
 */
export class CutText<T extends Token> {
  readonly #tree: StopTree;
  /** The state of the search: the beginning of a sequence that the text ends with. */
  #place = 0;
  #held = "";
  readonly #tokens: T[] = [];
  /** Characters that went out before their tokens. */
  #ahead = 0;
  #found: string | null = null;

  constructor(stops: readonly string[]) {
    this.#tree = stopTreeOf(stops);
  }

  /** The sequence that cut the text. */
  get found(): string | null {
    return this.#found;
  }

  /** The part of the new text that may go out. Nothing after a stop. */
  read(text: string, tokens: readonly T[] = []): ReleasedText<T> {
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

  /** Reads a long text. Yields, so that long work can pause. */
  *readInSteps(text: string, tokens: readonly T[]): Generator<void, ReleasedText<T>> {
    const result = this.read("", tokens);
    for (const slice of slicesOf(text)) {
      const more = this.read(slice);
      result.text += more.text;
      for (const token of more.tokens) {
        result.tokens.push(token);
      }
      yield;
    }
    return result;
  }

  /** Searches the new text, up to a stop. Returns how many of the last characters wait. */
  #advance(text: string): number {
    const tree = this.#tree;
    let place = this.#place;
    for (let at = 0; at < text.length; at++) {
      place = tree.next(place, text.charCodeAt(at));
      const whole = tree.wholeAt(place);
      if (whole !== null) {
        this.#found = whole;
        return whole.length + text.length - at - 1;
      }
    }
    this.#place = place;
    return tree.lengthAt(place);
  }

  /** The waiting text, once the answer has ended. */
  rest(): ReleasedText<T> {
    const text = this.#held;
    this.#held = "";
    this.#place = 0;
    return { text, tokens: this.#found === null ? this.#tokens.splice(0) : [] };
  }

  #say(text: string): ReleasedText<T> {
    this.#ahead += text.length;
    let count = 0;
    for (const token of this.#tokens) {
      if (lengthOf(token) > this.#ahead) {
        break;
      }
      this.#ahead -= lengthOf(token);
      count++;
    }
    return { text, tokens: this.#tokens.splice(0, count) };
  }
}
