import type { LongText } from "@/server/base/slices";
import type { JsonObject } from "../fields";
import { isFree, refuseAmbiguous } from "../known-fields";
import { CHARACTERS_PER_STEP, JsonScanner, type LongTexts } from "./scanner";

/** The positions of a top-level member in the text. */
export type Member = { key: string; keyStart: number; keyEnd: number; valueStart: number; valueEnd: number };

/** The limits of a text, and the forms of its values. */
export type ReaderRules = {
  /** The most values in the whole text. */
  mostValues: number;
  /** Names count as values, too. */
  areNamesValues: boolean;
  mostLevels: number;
  /** The most names of one object. */
  mostNames: number;
  mostNameCharacters: number;
  /** The most members of the whole object, whose positions are noted. 0: they are not noted. */
  mostMembers: number;
  /** Repeated and escaped names are allowed, because the gateway reads none of the text's names. */
  allowsAmbiguousNames: boolean;
  /** All numbers are kept as they are written, because the gateway only passes them on. */
  isExact: boolean;
  /** Whether the numbers below a member are kept as they are written. */
  carries: (name: string, isList: boolean) => boolean;
  /** As in `JsonScanner`. */
  isBytes: boolean;
  longTexts: LongTexts | null;
  /** Gets each short text that is no name, with the position of its closing quote. */
  note: ((value: string, end: number) => void) | null;
  /** The error for a text with more. */
  tooMuch: () => Error;
};

/** An object or list whose end has not come. */
type OpenContainer = { allowsAmbiguousNames: boolean; isExact: boolean; names: number } & (
  | { list: unknown[]; object: null; name: "" }
  | { list: null; object: JsonObject; name: string }
);

/** Values that are read between two pauses: well below a millisecond. */
const VALUES_PER_STEP = 1_000;

const plainName = /^[\w.$-]{1,64}$/;

const [QUOTE, COMMA, COLON] = [34, 44, 58];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [91, 93, 123, 125];

/**
 * The expected next token. BEGIN: the first item or name, or the end of an empty list or object. MORE: a comma, or the
 * end.
 */
const Next = { VALUE: 0, BEGIN: 1, NAME: 2, COLON: 3, MORE: 4, END: 5, REST_OF_TEXT: 6 } as const;

/**
 * Reads JSON in one pass, as `JSON.parse` does, but in short steps, and it counts and refuses on the way: it stops at the
 * first value over the limit instead of building them all. It decodes each name separately: decoding a whole object, V8's
 * parser confuses names with escapes (nodejs/node#63785).
 */
export class JsonReader extends JsonScanner {
  readonly members: Member[] = [];
  /** The values read so far. */
  values: number;
  private readonly rules: ReaderRules;
  private readonly open: OpenContainer[] = [];
  private within: OpenContainer | null = null;
  private next: (typeof Next)[keyof typeof Next] = Next.VALUE;
  private whole: unknown;
  private keyStart = 0;
  private keyEnd = 0;
  private valueStart = 0;

  /** `values`: the count to start from. */
  constructor(text: LongText, rules: ReaderRules, values = 0) {
    super(text, rules);
    this.rules = rules;
    this.values = values;
  }

  /** Reads the text's single value. Yields, so that long work can pause. Throws SyntaxError, and the rules' error. */
  *read(): Generator<void, unknown> {
    while (!this.step()) {
      yield;
    }
    return this.whole;
  }

  /** The position of the next character in the whole text. */
  get position(): number {
    return this.passed + this.place;
  }

  /** Reads on. false: more is to come. */
  private step(): boolean {
    this.readOn();
    const until = this.place + CHARACTERS_PER_STEP;
    const mostValues = this.values + VALUES_PER_STEP;
    while (this.values < mostValues && this.place < until) {
      if (this.next === Next.REST_OF_TEXT) {
        const text = this.rest();
        if (text === null) {
          return false;
        }
        this.put(text);
        this.end();
        continue;
      }
      this.skipSpace(until);
      if (this.place === until) {
        return false;
      }
      switch (this.next) {
        case Next.VALUE:
          this.takeValue();
          break;
        case Next.BEGIN:
          this.takeBegin();
          break;
        case Next.NAME:
          this.takeName();
          break;
        case Next.COLON:
          this.takeColon();
          break;
        case Next.MORE:
          this.takeMore();
          break;
        case Next.END:
          return this.place === this.raw.length || this.fail();
      }
    }
    return false;
  }

  private count(): void {
    if (++this.values > this.rules.mostValues || this.open.length > this.rules.mostLevels) {
      throw this.rules.tooMuch();
    }
  }

  private takeValue(): void {
    this.count();
    if (this.open.length === 1) {
      this.valueStart = this.position;
    }
    const code = this.raw.charCodeAt(this.place);
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      this.enter(code === OPEN_ARRAY);
    } else if (code === QUOTE) {
      const text = this.text();
      if (text === null) {
        this.next = Next.REST_OF_TEXT;
      } else {
        this.rules.note?.(text, this.position - 1);
        this.put(text);
        this.end();
      }
    } else {
      this.put(this.scalar((this.within ?? this.rules).isExact));
      this.end();
    }
  }

  private put(value: unknown): void {
    const { within } = this;
    if (within === null) {
      this.whole = value;
    } else if (within.list !== null) {
      within.list.push(value);
    } else if (within.name === "__proto__") {
      const member = { value, enumerable: true, configurable: true, writable: true };
      Object.defineProperty(within.object, within.name, member);
    } else {
      within.object[within.name] = value;
    }
  }

  private enter(isList: boolean): void {
    const { within, rules } = this;
    const outer = within ?? rules;
    const isMember = within !== null && within.object !== null;
    const isExact = outer.isExact || (isMember && rules.carries(within.name, isList));
    const allowsAmbiguousNames = outer.allowsAmbiguousNames || (isMember && isFree(within.name, !isList));
    const opened: OpenContainer = isList
      ? { allowsAmbiguousNames, isExact, names: 0, list: [], object: null, name: "" }
      : { allowsAmbiguousNames, isExact, names: 0, list: null, object: {}, name: "" };
    this.put(opened.list ?? opened.object);
    this.open.push(opened);
    this.within = opened;
    this.place++;
    this.next = Next.BEGIN;
  }

  /** Leaves the list or object if its end is here. */
  private leaves(isList: boolean): boolean {
    if (this.raw.charCodeAt(this.place) !== (isList ? CLOSE_ARRAY : CLOSE_OBJECT)) {
      return false;
    }
    this.place++;
    this.open.pop();
    this.within = this.open.at(-1) ?? null;
    this.end();
    return true;
  }

  private takeBegin(): void {
    const isList = this.within?.list !== null;
    if (!this.leaves(isList)) {
      this.next = isList ? Next.VALUE : Next.NAME;
    }
  }

  private takeMore(): void {
    const isList = this.within?.list !== null;
    if (this.raw.charCodeAt(this.place) === COMMA) {
      this.place++;
      this.next = isList ? Next.VALUE : Next.NAME;
    } else if (!this.leaves(isList)) {
      this.fail();
    }
  }

  private takeName(): void {
    const { within, rules, place } = this;
    if (within === null || within.object === null || this.raw.charCodeAt(place) !== QUOTE) {
      throw this.fail();
    }
    if (rules.areNamesValues) {
      this.count();
    }
    const end = this.nameEnd(rules.mostNameCharacters);
    if (end === -1 || ++within.names > rules.mostNames) {
      throw rules.tooMuch();
    }
    const written = this.written(place + 1, end);
    const name = plainName.test(written) ? written : this.decoded(place + 1, end);
    if (!within.allowsAmbiguousNames) {
      refuseAmbiguous(name, { isRepeated: Object.hasOwn(within.object, name), isEscaped: name !== written });
    }
    within.name = name;
    this.place = end + 1;
    if (this.open.length === 1) {
      this.keyStart = this.passed + place;
      this.keyEnd = this.position;
    }
    this.next = Next.COLON;
  }

  private takeColon(): void {
    if (this.raw.charCodeAt(this.place) !== COLON) {
      this.fail();
    }
    this.place++;
    this.next = Next.VALUE;
  }

  /** Notes the end of a value. */
  private end(): void {
    const { within, rules } = this;
    this.next = within === null ? Next.END : Next.MORE;
    if (within !== null && this.open.length === 1 && rules.mostMembers > 0) {
      const { keyStart, keyEnd, valueStart, position } = this;
      const member = { key: within.name, keyStart, keyEnd, valueStart, valueEnd: position };
      if (this.members.push(member) > rules.mostMembers) {
        throw rules.tooMuch();
      }
    }
  }
}
