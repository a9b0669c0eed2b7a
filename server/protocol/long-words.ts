import { printedParts } from "./json-print";

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

  /** A named event whose data is long. "": it is said later. */
  event(name: string, data: object): "" {
    return this.later([`event: ${name}\ndata: `], printedParts(data), ["\n\n"]);
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
