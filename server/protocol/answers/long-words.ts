import { isShort, printedParts } from "../json/print";
import { namedEventFrame } from "./sse";

function* madeLater(make: () => string | Iterable<string>): Generator<string> {
  const made = make();
  yield* typeof made === "string" ? [made] : made;
}

/**
 * Output of a stream's writer that is too long to make or print at once. After each event the gateway takes it in
 * parts, and other calls run between two parts; later output waits behind it. A part may be "": only a pause. A reader
 * that stops loses no text.
 */
export class LongWords {
  readonly #waiting: Iterator<string>[] = [];

  /** Returns the text, or "" if it has to wait. */
  say(text: string): string {
    return this.#waiting.length === 0 ? text : this.later([text]);
  }

  /**
   * Returns a named event; of one with long data only the beginning, because the gateway takes an event without text for
   * silence. Returns "" if earlier output waits.
   */
  event(name: string, data: object): string {
    if (isShort(data)) {
      return this.say(namedEventFrame(name, JSON.stringify(data)));
    }
    const begun = this.say(`event: ${name}\ndata: `);
    this.later(printedParts(data), ["\n\n"]);
    return begun;
  }

  /**
   * Returns the text that `make` makes, or "" if earlier output waits: then `make` runs when the gateway has taken that,
   * so that it sees the state which the earlier output leaves. `make` may also give parts, which then wait.
   */
  inTurn(make: () => string | Iterable<string>): string {
    if (this.#waiting.length > 0) {
      return this.later(madeLater(make));
    }
    const made = make();
    return typeof made === "string" ? made : this.later(made);
  }

  /** Queues text that is made when the gateway takes it. Returns "". */
  later(...words: Iterable<string>[]): "" {
    this.#waiting.push(...words.map((parts) => parts[Symbol.iterator]()));
    return "";
  }

  /** null: nothing is waiting. */
  rest(): Iterable<string> | null {
    // Not a generator: one that its reader leaves cannot continue.
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
