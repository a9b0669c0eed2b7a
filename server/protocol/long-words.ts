import { isShort, printedParts } from "./json-print";
import { namedEventFrame } from "./sse";

/**
 * Words of a stream's writer that are too long to be made or printed at once. The gateway takes them behind each event, in
 * parts between which other calls have a turn; all that follows waits behind them. A part may be "": only the turn. A
 * reader that stops loses none.
 */
export class LongWords {
  readonly #waiting: Iterator<string>[] = [];

  /** Text, or "" where it waits. */
  say(text: string): string {
    return this.#waiting.length === 0 ? text : this.later([text]);
  }

  /**
   * A named event. Of one with long data, the beginning, because the gateway takes a sign of life without text for none. ""
   * where it waits.
   */
  event(name: string, data: object): string {
    if (isShort(data)) {
      return this.say(namedEventFrame(name, JSON.stringify(data)));
    }
    const begun = this.say(`event: ${name}\ndata: `);
    this.later(printedParts(data), ["\n\n"]);
    return begun;
  }

  /** Words that are made when the gateway takes them. */
  later(...words: Iterable<string>[]): "" {
    this.#waiting.push(...words.map((parts) => parts[Symbol.iterator]()));
    return "";
  }

  /** null: nothing waits. */
  rest(): Iterable<string> | null {
    // No generator: one that its reader leaves cannot go on.
    return this.#waiting.length === 0 ? null : { [Symbol.iterator]: () => ({ next: () => this.#next() }) };
  }

  #next(): IteratorResult<string> {
    for (let [parts] = this.#waiting; parts !== undefined; [parts] = this.#waiting) {
      const next = parts.next();
      if (!next.done) {
        return next;
      }
      this.#waiting.shift();
    }
    return { done: true, value: undefined };
  }
}
