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

type Found = { stop: string; start: number };

/** The one that ends first; of those that end together the longest, so that no part of it is said. */
function findFirst(text: string, stops: readonly string[]): Found | null {
  let first: Found | null = null;
  const endOf = ({ stop, start }: Found) => start + stop.length;
  for (const stop of stops) {
    const found = { stop, start: text.indexOf(stop) };
    const isSooner =
      first === null ||
      endOf(found) < endOf(first) ||
      (endOf(found) === endOf(first) && found.start < first.start);
    if (found.start !== -1 && isSooner) {
      first = found;
    }
  }
  return first;
}

/** How many of a text's last characters might begin one of them. */
function mayBegin(text: string, stops: readonly string[]): number {
  const most = Math.min(text.length, Math.max(...stops.map((stop) => stop.length)) - 1);
  for (let length = most; length > 0; length--) {
    const end = text.slice(-length);
    if (stops.some((stop) => stop.length > length && stop.startsWith(end))) {
      return length;
    }
  }
  return 0;
}

/** A token of the text, where the client is told of them. */
type Token = { token?: unknown };

/** What may be said: a text, and the tokens that end in it. */
type Said<T> = { text: string; tokens: T[] };

const lengthOf = ({ token }: Token): number => (typeof token === "string" ? token.length : 0);

/** One text of an answer, as it grows, up to a stop sequence. What could begin one waits for what follows it. */
export class CutText<T extends Token> {
  readonly #stops: readonly string[];
  #held = "";
  readonly #tokens: T[] = [];
  /** Characters that were said, beyond the tokens that were told. */
  #ahead = 0;
  #found: string | null = null;

  constructor(stops: readonly string[]) {
    this.#stops = stops;
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
    const found = findFirst(whole, this.#stops);
    this.#found = found === null ? null : found.stop;
    const end = found ? found.start : whole.length - mayBegin(whole, this.#stops);
    this.#held = found ? "" : whole.slice(end);
    return this.#say(whole.slice(0, end));
  }

  /** What has waited, once nothing follows it. */
  rest(): Said<T> {
    const text = this.#held;
    this.#held = "";
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
