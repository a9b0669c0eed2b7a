import { isDeepStrictEqual } from "node:util";
import { parseExact } from "../json/exact-numbers";
import { MAX_AT_ONCE_CHARACTERS } from "../json/turns";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

const isSpace = (code: number) => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
const isOpening = (code: number) => code === 0x7b || code === 0x5b;
const isClosing = (code: number) => code === 0x7d || code === 0x5d;

/**
 * Tracks how much of one JSON object has arrived in fragments. Looks at each character once, and keeps a short text.
 * `broken`: the text starts as something other than an object, or continues after its end.
 */
export class ArgumentsScan {
  state: "blank" | "inside" | "complete" | "broken" = "blank";
  /** Length and hash of all text read, without the space between values: enough to recognise the same object. */
  private length = 0;
  private hash = 0;
  /** The text, for as long as it can be parsed at once. */
  private text = "";
  /** The parsed text, once it has been compared. */
  private value: unknown;
  private depth = 0;
  private isString = false;
  private isEscaped = false;

  read(fragment: string): void {
    if (this.text.length <= MAX_AT_ONCE_CHARACTERS) {
      this.text += fragment;
      this.value = undefined;
    }
    for (let place = 0; place < fragment.length && this.state !== "broken"; place++) {
      const code = fragment.charCodeAt(place);
      if (this.isString || !isSpace(code)) {
        this.length++;
        // FNV-1a, in which texts that differ in two characters have different values.
        this.hash = Math.imul(this.hash ^ code, 0x01000193);
      }
      this.step(code);
    }
  }

  /** Whether a text is the whole object once more, maybe with its members in another order or other escapes. */
  isRepeated(text: string): boolean {
    if (this.state !== "complete") {
      return false;
    }
    const again = new ArgumentsScan();
    again.read(text);
    if (again.state !== "complete") {
      return false;
    }
    return (again.length === this.length && again.hash === this.hash) || again.hasValueOf(this);
  }

  private hasValueOf(other: ArgumentsScan): boolean {
    if (Math.max(this.text.length, other.text.length) > MAX_AT_ONCE_CHARACTERS) {
      return false;
    }
    try {
      other.value ??= parseExact(other.text);
      return isDeepStrictEqual(parseExact(this.text), other.value);
    } catch {
      return false;
    }
  }

  /**
   * Reads a fragment and returns its new text. Returns "" if it repeats the whole object, as some vendors do at its
   * end.
   */
  readNew(fragment: string): string {
    if (this.isRepeated(fragment)) {
      return "";
    }
    this.read(fragment);
    return fragment;
  }

  private step(code: number): void {
    if (this.state === "inside") {
      this.stepInside(code);
    } else if (!isSpace(code)) {
      const begins = this.state === "blank" && code === 0x7b;
      this.state = begins ? "inside" : "broken";
      this.depth = 1;
    }
  }

  private stepInside(code: number): void {
    if (this.isEscaped) {
      this.isEscaped = false;
    } else if (this.isString) {
      this.isEscaped = code === BACKSLASH;
      this.isString = code !== QUOTE;
    } else if (code === QUOTE) {
      this.isString = true;
    } else if (isOpening(code)) {
      this.depth++;
    } else if (isClosing(code)) {
      this.depth--;
      this.state = this.depth === 0 ? "complete" : "inside";
    }
  }
}
