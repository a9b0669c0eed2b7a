/** Reads texts, numbers and words of JSON, from one position on. */
import { isWhole, type LongText } from "@/server/base/slices";
import { exactNumber } from "./exact-numbers";
import { closingQuote, nearQuote, wholeEscapes } from "./quotes";

/** Characters that are read between two pauses: about a millisecond. */
export const CHARACTERS_PER_STEP = 256 * 1024;

/** At `lastIndex`. No real number has more digits. */
const NUMBER = /-?(?:0|[1-9]\d{0,400})(?:\.\d{1,400})?(?:[eE][+-]?\d{1,400})?/y;
/** Integers of so many digits are exact, and print as they are written. */
const SHORT_DIGITS = 15;

const literals: readonly [text: string, value: boolean | null][] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

/** A slice of the text this short is a copy. */
const plainWord = /^[\w.$-]{0,12}$/;
const BEYOND_ASCII = /[\x80-\xff]/;

const [MINUS, DOT, ZERO, UPPER_E, LOWER_E] = [45, 46, 48, 69, 101];
const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;
const isDigit = (code: number) => code >= 48 && code <= 57;

const FIRST_HALF = /[\ud800-\udbff]$/;

/** A step may begin a text, or a name, that is as long as another step. */
const LEAST_AHEAD = 2 * CHARACTERS_PER_STEP + 4_096;
/** More of the parts is joined at a time, because what is ahead is copied each time. */
const JOINED = 8 * CHARACTERS_PER_STEP;

/** The pieces of long texts. A long text itself is not joined until its characters are asked for. */
export type LongTexts = Map<string, readonly string[]>;

/** `isBytes`: the text has one character for each byte of UTF-8. It has no long text. `longTexts`: gets the long ones. */
type ScannerOptions = { isBytes: boolean; longTexts: LongTexts | null };

export class JsonScanner {
  /** The position of the next character in `raw`. */
  protected place = 0;
  /** The text, or the joined parts of it. */
  protected raw: string;
  /** The characters before `raw`. */
  protected passed = 0;
  private readonly parts: Iterator<string> | null;
  private readonly options: ScannerOptions;
  /** The part of a long text that is read, and its pieces. */
  private begun = "";
  private pieces: string[] = [];
  /** The first half of a character that the latest piece would split. */
  private half = "";

  constructor(text: LongText, options: ScannerOptions) {
    this.raw = isWhole(text) ? text : "";
    this.parts = isWhole(text) ? null : text[Symbol.iterator]();
    this.options = options;
  }

  /** Joins more parts if a step needs them. */
  protected readOn(): void {
    if (this.parts === null || this.raw.length - this.place >= LEAST_AHEAD) {
      return;
    }
    this.raw = this.raw.slice(this.place);
    this.passed += this.place;
    this.place = 0;
    while (this.raw.length < JOINED) {
      const part = this.parts.next();
      if (part.done) {
        return;
      }
      this.raw += part.value;
    }
  }

  protected fail(): never {
    throw new SyntaxError(`no JSON at ${this.place}`);
  }

  /** Skips white space, but none from `until` on. */
  protected skipSpace(until: number): void {
    const { raw } = this;
    let { place } = this;
    while (place < until && isSpace(raw.charCodeAt(place))) {
      place++;
    }
    this.place = place;
  }

  /** A part of the text, as characters. */
  protected written(start: number, end: number): string {
    const written = this.raw.slice(start, end);
    return this.options.isBytes && BEYOND_ASCII.test(written)
      ? Buffer.from(written, "latin1").toString()
      : written;
  }

  /** Decodes a text into a copy: a slice would keep the whole body in memory as long as any text from it. */
  protected decoded(start: number, end: number): string {
    return JSON.parse(this.written(start - 1, end + 1)) as string;
  }

  /** The length of a text between its quotes. -1: more than `most`, or it has no end. */
  private lengthOf(start: number, most: number): number {
    const near = nearQuote(this.raw, start);
    const length = near === -1 ? closingQuote(this.raw.slice(start, start + most + 1)) : near - start;
    return length > most ? -1 : length;
  }

  /** A text. null: it is long, and `rest` reads it. */
  protected text(): string | null {
    const start = this.place + 1;
    const length = this.lengthOf(start, CHARACTERS_PER_STEP);
    if (length === -1) {
      this.place = start;
      return null;
    }
    const end = start + length;
    this.place = end + 1;
    const written = this.raw.slice(start, end);
    return plainWord.test(written) ? written : this.decoded(start, end);
  }

  /** Reads the next piece of a long text, and returns the whole text with the last one. */
  protected rest(): string | null {
    const { place } = this;
    const piece = this.raw.slice(place, place + CHARACTERS_PER_STEP);
    const quote = closingQuote(piece);
    const length = quote === -1 ? wholeEscapes(piece) : quote;
    if (length === 0 && quote === -1) {
      this.fail();
    }
    const decoded = this.half + (JSON.parse(`"${piece.slice(0, length)}"`) as string);
    this.half = quote === -1 && FIRST_HALF.test(decoded) ? decoded.slice(-1) : "";
    this.pieces.push(this.half === "" ? decoded : decoded.slice(0, -1));
    this.begun += this.pieces.at(-1);
    this.place += length;
    if (quote === -1) {
      return null;
    }
    this.place++;
    const text = this.begun;
    this.options.longTexts?.set(text, this.pieces);
    this.begun = "";
    this.pieces = [];
    return text;
  }

  /** The position of the quote that closes a name. -1: it has more than `most` characters. */
  protected nameEnd(most: number): number {
    const start = this.place + 1;
    const length = this.lengthOf(start, most);
    if (length === -1) {
      return this.raw.length - start > most ? -1 : this.fail();
    }
    return start + length;
  }

  /** `isExact`: keeps a number as it is written. */
  protected scalar(isExact: boolean): unknown {
    const code = this.raw.charCodeAt(this.place);
    if (isDigit(code) || code === MINUS) {
      return this.shortInteger(code) ?? this.number(isExact);
    }
    const literal = literals.find(([word]) => this.raw.startsWith(word, this.place));
    if (!literal) {
      return this.fail();
    }
    this.place += literal[0].length;
    return literal[1];
  }

  /** `first`: the code of its first character. null: the number is another one. */
  private shortInteger(first: number): number | null {
    const { raw, place } = this;
    let end = place;
    let value = 0;
    let code = first;
    while (isDigit(code) && end - place < SHORT_DIGITS) {
      value = value * 10 + code - ZERO;
      code = raw.charCodeAt(++end);
    }
    const goesOn = isDigit(code) || code === DOT || code === LOWER_E || code === UPPER_E;
    if (end === place || goesOn || (first === ZERO && end > place + 1)) {
      return null;
    }
    this.place = end;
    return value;
  }

  private number(isExact: boolean): number | object {
    const { place } = this;
    NUMBER.lastIndex = place;
    if (!NUMBER.test(this.raw)) {
      this.fail();
    }
    this.place = NUMBER.lastIndex;
    const written = this.raw.slice(place, this.place);
    return isExact ? exactNumber(written) : Number(written);
  }
}
