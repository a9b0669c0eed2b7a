import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { exactNumber, isCarried } from "./exact-numbers";
import { isJsonObject, type JsonObject } from "./fields";
import { decodeInSteps } from "./json-long-text";
import { literals, NUMBER, setMember } from "./json-scalars";
import { isFree, refuseAmbiguous } from "./known-fields";

/** The positions of a top-level member in the text. */
type Member = { key: string; keyStart: number; keyEnd: number; valueStart: number; valueEnd: number };

/** A request body: its text, its fields, and the positions of its members. `end`: the position of the closing brace. */
export type JsonText = { raw: string; fields: JsonObject; members: readonly Member[]; end: number };

/** `values`: the count to start from. */
type ReaderOptions = {
  /** The gateway reads none of the text's names. */
  isTheirs?: boolean;
  values?: number;
  /** The text has one character for each byte of UTF-8. */
  isBytes?: boolean;
  /** Gets each text that is no name, with the position of its closing quote. */
  note?: (value: string, end: number) => void;
};

/**
 * The limit of names and values in a whole body: far above any client's (a million tokens of conversation have some
 * 50,000). It bounds memory and time of all code that walks the body.
 */
const MAX_VALUES = 250_000;
const MAX_FIELDS = 1_000;
const MAX_DEPTH = 200;
/** V8 compares each longer name with all others of its length: 1,600 of them took 1.7 seconds. */
const MAX_NAME_CHARACTERS = 10_000;

const tooMuch = () =>
  new GatewayError(
    "invalidParameters",
    errorMessages.tooManyFields({ fields: MAX_FIELDS, values: MAX_VALUES, depth: MAX_DEPTH }),
  );

const invalid = () => new GatewayError("invalidJson");

/**
 * The most escaped quotes in a string before STRING_PART reads it: strings in which every other character is one take a
 * third of the time.
 */
const MAX_HOPS = 16;
/** A part of a string. It is bounded, because the engine remembers each escape of a match. */
const STRING_PART = /[^"\\]*(?:\\.[^"\\]*){0,1000}/sy;

/** The engine decodes a longer text with escapes without a pause, which takes more than some milliseconds. */
const LONG_TEXT_CHARACTERS = 1024 * 1024;

/** A long text's positions between its quotes, and the object or list that holds it. */
type LongText = { holder: object; key: PropertyKey; start: number; end: number };

const plainName = /^[\w.$-]{1,64}$/;
/** A slice of the text this short is a copy. */
const plainWord = /^[\w.$-]{0,12}$/;

/** The result of a tool in the form of Google's clients. */
const isResult = (name: string): boolean => name === "response";

const BEYOND_ASCII = /[\x80-\xff]/;

const isSpace = (code: number) => code === 32 || code === 10 || code === 13 || code === 9;

const [QUOTE, BACKSLASH, COMMA, COLON] = [34, 92, 44, 58];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/**
 * Reads JSON in one pass, as `JSON.parse` does, but counts and refuses on the way: it stops at the first value over the
 * limit instead of building them all. It decodes each name separately: decoding a whole object, V8's parser confuses
 * names with escapes (nodejs/node#63785).
 */
export class JsonReader {
  readonly members: Member[] = [];
  /** Long texts are empty until they are decoded. */
  private longTexts: LongText[] = [];
  /** The values read so far. */
  values: number;
  private readonly raw: string;
  private readonly isTheirs: boolean;
  private readonly isBytes: boolean;
  private readonly note: ReaderOptions["note"];
  private place = 0;
  /** The latest value, if it is a long text. */
  private longText: Pick<LongText, "start" | "end"> | null = null;

  constructor(raw: string, { isTheirs = false, values = 0, isBytes = false, note }: ReaderOptions = {}) {
    this.raw = raw;
    this.isTheirs = isTheirs;
    this.isBytes = isBytes;
    this.note = note;
    this.values = values;
  }

  /** Reads the text's single value, which must be an object. Throws invalidJson and invalidParameters. */
  *read(): Generator<void, JsonText> {
    this.skipSpace();
    const fields = this.value(0, this.isTheirs, this.isTheirs);
    const end = this.place - 1;
    this.skipSpace();
    if (this.place !== this.raw.length || !isJsonObject(fields)) {
      throw invalid();
    }
    yield;
    for (const { holder, key, start, end } of this.longTexts) {
      setMember(holder, key, yield* this.decodeLong(start, end));
    }
    return { raw: this.raw, fields, members: this.members, end };
  }

  private skipSpace(): void {
    const { raw } = this;
    let place = this.place;
    for (let code = raw.charCodeAt(place); isSpace(code); code = raw.charCodeAt(place)) {
      place++;
    }
    this.place = place;
  }

  private count(depth: number): void {
    this.values++;
    if (this.values > MAX_VALUES || depth > MAX_DEPTH) {
      throw tooMuch();
    }
  }

  /** Skips white space, and then the character if it is this one. */
  private takes(code: number): boolean {
    this.skipSpace();
    if (this.raw.charCodeAt(this.place) !== code) {
      return false;
    }
    this.place++;
    return true;
  }

  /** The position after a string's closing quote. Goes from quote to quote; with many escaped quotes, part by part. */
  private stringEnd(start: number): number {
    const { raw } = this;
    let place = start + 1;
    for (let hops = 0; hops < MAX_HOPS; hops++) {
      const quote = raw.indexOf('"', place);
      if (quote === -1) {
        throw invalid();
      }
      let before = quote;
      while (raw.charCodeAt(before - 1) === BACKSLASH) {
        before--;
      }
      place = quote + 1;
      if ((quote - before) % 2 === 0) {
        return place;
      }
    }
    while (raw.charCodeAt(place) !== QUOTE) {
      STRING_PART.lastIndex = place;
      STRING_PART.test(raw);
      if (STRING_PART.lastIndex === place) {
        throw invalid();
      }
      place = STRING_PART.lastIndex;
    }
    return place + 1;
  }

  /** A part of the text, as characters. */
  private written(start: number, end: number): string {
    const written = this.raw.slice(start, end);
    return this.isBytes && BEYOND_ASCII.test(written) ? Buffer.from(written, "latin1").toString() : written;
  }

  /** Decodes a string literal into a copy: a slice would keep the whole body in memory as long as any name from it. */
  private decode(start: number, end: number): string {
    try {
      return JSON.parse(this.written(start, end)) as string;
    } catch {
      // The engine's error message would quote the body.
      throw invalid();
    }
  }

  private *decodeLong(start: number, end: number): Generator<void, string> {
    try {
      return yield* decodeInSteps(this.raw, start, end);
    } catch {
      throw invalid();
    }
  }

  private string(): string {
    const start = this.place;
    this.place = this.stringEnd(start);
    if (this.place - start > LONG_TEXT_CHARACTERS) {
      this.longText = { start: start + 1, end: this.place - 1 };
      return "";
    }
    const written = this.raw.slice(start + 1, this.place - 1);
    const text = plainWord.test(written) ? written : this.decode(start, this.place);
    this.note?.(text, this.place - 1);
    return text;
  }

  /** `isExact`: keeps the number as it is written, because the gateway only passes it on. */
  private number(isExact: boolean): number | object {
    NUMBER.lastIndex = this.place;
    if (!NUMBER.test(this.raw)) {
      throw invalid();
    }
    const text = this.raw.slice(this.place, NUMBER.lastIndex);
    this.place = NUMBER.lastIndex;
    return isExact ? exactNumber(text) : Number(text);
  }

  private value(depth: number, isTheirs: boolean, isExact: boolean): unknown {
    this.count(depth);
    const code = this.raw.charCodeAt(this.place);
    if (code === QUOTE) {
      return this.string();
    }
    if (code === OPEN_OBJECT) {
      return this.object(depth, isTheirs, isExact);
    }
    if (code === OPEN_ARRAY) {
      return this.array(depth, isTheirs, isExact);
    }
    const literal = literals.find(([text]) => this.raw.startsWith(text, this.place));
    if (literal) {
      this.place += literal[0].length;
      return literal[1];
    }
    return this.number(isExact);
  }

  /** Records that the latest value, at this place, must be decoded later. */
  private noteLongText(holder: object, key: PropertyKey): void {
    if (this.longText !== null) {
      this.longTexts.push({ holder, key, ...this.longText });
      this.longText = null;
    }
  }

  private array(depth: number, isTheirs: boolean, isExact: boolean): unknown[] {
    const items: unknown[] = [];
    this.place++;
    if (this.takes(CLOSE_ARRAY)) {
      return items;
    }
    do {
      this.skipSpace();
      items.push(this.value(depth + 1, isTheirs, isExact));
      this.noteLongText(items, items.length - 1);
    } while (this.takes(COMMA));
    if (!this.takes(CLOSE_ARRAY)) {
      throw invalid();
    }
    return items;
  }

  /** Reads a member's name. `isTheirs`: the gateway reads nothing in this object, so no name in it can mislead. */
  private name(object: JsonObject, isTheirs: boolean): string {
    const start = this.place;
    if (this.raw.charCodeAt(start) !== QUOTE) {
      throw invalid();
    }
    this.place = this.stringEnd(start);
    if (this.place - start > MAX_NAME_CHARACTERS) {
      throw tooMuch();
    }
    const written = this.written(start + 1, this.place - 1);
    const name = plainName.test(written) ? written : this.decode(start, this.place);
    if (!isTheirs) {
      refuseAmbiguous(name, { isRepeated: Object.hasOwn(object, name), isEscaped: name !== written });
    }
    return name;
  }

  private object(depth: number, isTheirs: boolean, isExact: boolean): JsonObject {
    const object: JsonObject = {};
    this.place++;
    if (this.takes(CLOSE_OBJECT)) {
      return object;
    }
    do {
      this.skipSpace();
      this.count(depth);
      const keyStart = this.place;
      const key = this.name(object, isTheirs);
      const keyEnd = this.place;
      if (!this.takes(COLON)) {
        throw invalid();
      }
      this.skipSpace();
      const valueStart = this.place;
      const opens = this.raw.charCodeAt(valueStart);
      const isBelow = isTheirs || isFree(key, opens === OPEN_OBJECT);
      const isWhole = opens === OPEN_OBJECT || opens === OPEN_ARRAY;
      const isOwn = isExact || (isWhole && (isResult(key) || isCarried(key, opens === OPEN_ARRAY)));
      const value = this.value(depth + 1, isBelow, isOwn);
      if (this.longTexts.length > 0 && Object.hasOwn(object, key)) {
        // If an object may repeat a name, its last member counts.
        this.longTexts = this.longTexts.filter((text) => text.holder !== object || text.key !== key);
      }
      if (key === "__proto__") {
        setMember(object, key, value);
      } else {
        object[key] = value;
      }
      this.noteLongText(object, key);
      if (
        depth === 0 &&
        !this.isTheirs &&
        this.members.push({ key, keyStart, keyEnd, valueStart, valueEnd: this.place }) > MAX_FIELDS
      ) {
        throw tooMuch();
      }
    } while (this.takes(COMMA));
    if (!this.takes(CLOSE_OBJECT)) {
      throw invalid();
    }
    return object;
  }
}
