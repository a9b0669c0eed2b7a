import { exactNumber, isCarried, parseExact } from "./exact-numbers";
import { literals, NUMBER, setMember } from "./json-scalars";

/** An object or list whose end has not come. `isExact`: the gateway only passes its numbers on. */
type OpenContainer = { isExact: boolean; names: number } & (
  | { list: unknown[]; object: null; name: "" }
  | { list: null; object: Record<string, unknown>; name: string }
);

/** How many values are read between two pauses: well below a millisecond, unless one is a long text. */
const VALUES_PER_STEP = 1_000;
/** How many characters of a long text, or of white space, are read between two pauses. No name is as long. */
const PIECE_CHARACTERS = 256 * 1024;
/** Deeper than any client nests, and too deep to print. Endlessly nested lists would fill the memory. */
const MAX_DEPTH = 10_000;
/** The most names of one object: with more, V8 takes far longer for each. */
const MAX_NAMES = 50_000;
const ESCAPE_LENGTH = "\\uffff".length;

class JsonScanner {
  place = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  fail(): never {
    throw new SyntaxError(`no JSON at ${this.place}`);
  }

  /** Skips white space. false: there is more of it than one step reads. */
  skip(): boolean {
    const { text } = this;
    const limit = this.place + PIECE_CHARACTERS;
    let place = this.place;
    for (let code = text.charCodeAt(place); code === 32 || code === 10 || code === 13 || code === 9; ) {
      code = text.charCodeAt(++place);
      if (place === limit) {
        this.place = place;
        return false;
      }
    }
    this.place = place;
    return true;
  }

  /** Skips the rest of long white space. Yields. */
  *blanks(): Generator<void, void> {
    do {
      yield;
    } while (!this.skip());
  }

  /** The next character, after white space. */
  peek(): string | undefined {
    return this.text[this.place];
  }

  takes(character: string): boolean {
    const isNext = this.peek() === character;
    this.place += isNext ? 1 : 0;
    return isNext;
  }

  /** The position of the quote that closes a string before `end`; -1: none. `from`: a position outside any escape. */
  private quoteIn(from: number, end: number): number {
    // A slice limits the search if there is no quote.
    const piece = this.text.slice(from, end);
    for (let quote = piece.indexOf('"'); quote !== -1; quote = piece.indexOf('"', quote + 1)) {
      let before = quote;
      while (piece[before - 1] === "\\") {
        before--;
      }
      if ((quote - before) % 2 === 0) {
        return from + quote;
      }
    }
    return -1;
  }

  /** A short string. null: the string is long. */
  string(): string | null {
    const { text, place } = this;
    const quote = this.quoteIn(place + 1, place + PIECE_CHARACTERS);
    if (quote === -1) {
      return null;
    }
    this.place = quote + 1;
    return JSON.parse(text.slice(place, quote + 1)) as string;
  }

  /** A long string, piece by piece. */
  *longString(): Generator<void, string> {
    const { text } = this;
    let content = "";
    for (let from = this.place + 1; from < text.length; ) {
      const end = from + PIECE_CHARACTERS;
      const quote = this.quoteIn(from, end);
      const to = quote === -1 ? this.beforeEscape(from, end) : quote;
      content += JSON.parse(`"${text.slice(from, to)}"`) as string;
      if (quote !== -1) {
        this.place = quote + 1;
        return content;
      }
      from = to;
      yield;
    }
    return this.fail();
  }

  /** Where a piece ends, so that no escape is split. */
  private beforeEscape(from: number, end: number): number {
    const { text } = this;
    const last = end - ESCAPE_LENGTH + text.slice(end - ESCAPE_LENGTH, end).lastIndexOf("\\");
    if (last < end - ESCAPE_LENGTH) {
      return end;
    }
    let first = last;
    while (first > from && text[first - 1] === "\\") {
      first--;
    }
    // In an even run of backslashes each one belongs to another.
    return (last - first) % 2 === 0 ? last : end;
  }

  *name(within: OpenContainer): Generator<void, string> {
    if (!this.skip()) {
      yield* this.blanks();
    }
    const name = this.peek() === '"' && ++within.names <= MAX_NAMES ? this.string() : null;
    if (!this.skip()) {
      yield* this.blanks();
    }
    return name !== null && this.takes(":") ? name : this.fail();
  }

  /** Reads a number or a literal. */
  scalar(isExact: boolean): unknown {
    const { text, place } = this;
    const literal = literals.find(([word]) => text.startsWith(word, place));
    if (literal) {
      this.place += literal[0].length;
      return literal[1];
    }
    NUMBER.lastIndex = place;
    if (!NUMBER.test(text)) {
      return this.fail();
    }
    this.place = NUMBER.lastIndex;
    const written = text.slice(place, this.place);
    return isExact ? exactNumber(written) : Number(written);
  }
}

function put({ list, object, name }: OpenContainer, value: unknown): void {
  if (list) {
    list.push(value);
  } else if (name === "__proto__") {
    setMember(object, name, value);
  } else {
    object[name] = value;
  }
}

/** Texts up to this length go to the engine's own parser: it is quicker, and takes some 10 ms for so much at worst. */
export const MAX_AT_ONCE_CHARACTERS = 256 * 1024;

/** Like `parseExact`; a long text in steps, like `parseInTurns`. */
export function* parseExactInSteps(text: string): Generator<void, unknown> {
  return text.length > MAX_AT_ONCE_CHARACTERS
    ? yield* parseInTurns(text, { isExact: true })
    : parseExact(text);
}

/** `isExact`: for the whole text. `mostValues`: the limit of values. */
type ParseOptions = { isExact?: boolean; mostValues?: number };

/**
 * Like `parseCarrying`, or with `isExact` like `parseExact`. Yields, because the engine's own parser blocks other work
 * too long on a text with many values. Throws SyntaxError, also for absurdly deep nesting.
 */
export function* parseInTurns(
  text: string,
  { isExact: isAllExact = false, mostValues = Number.POSITIVE_INFINITY }: ParseOptions = {},
): Generator<void, unknown> {
  const reader = new JsonScanner(text);
  const open: OpenContainer[] = [];
  let restedAt = 0;
  for (let values = 1; ; values++) {
    if (values % VALUES_PER_STEP === 0 || reader.place - restedAt > PIECE_CHARACTERS) {
      restedAt = reader.place;
      yield;
    }
    if (values > mostValues) {
      reader.fail();
    }
    let value: unknown;
    const within = open.at(-1);
    if (!reader.skip()) {
      yield* reader.blanks();
    }
    const next = reader.peek();
    if (next === "{" || next === "[") {
      reader.place++;
      const isExact = (within?.isExact ?? isAllExact) || isCarried(within?.name ?? "", next === "[");
      const opened: OpenContainer =
        next === "["
          ? { isExact, names: 0, list: [], object: null, name: "" }
          : { isExact, names: 0, list: null, object: {}, name: "" };
      value = opened.list ?? opened.object;
      if (!reader.skip()) {
        yield* reader.blanks();
      }
      if (!reader.takes(next === "[" ? "]" : "}")) {
        if (opened.object) {
          opened.name = yield* reader.name(opened);
        }
        if (open.push(opened) > MAX_DEPTH) {
          reader.fail();
        }
        continue;
      }
    } else {
      value =
        next === '"'
          ? (reader.string() ?? (yield* reader.longString()))
          : reader.scalar(within?.isExact ?? isAllExact);
    }
    // The value is complete, and with it perhaps the values around it.
    for (let whole = true; whole; ) {
      const last = open.at(-1);
      if (!reader.skip()) {
        yield* reader.blanks();
      }
      if (!last) {
        return reader.peek() === undefined ? value : reader.fail();
      }
      put(last, value);
      whole = !reader.takes(",");
      if (whole) {
        value = reader.takes(last.list ? "]" : "}") ? (last.list ?? last.object) : reader.fail();
        open.pop();
      } else if (last.object) {
        last.name = yield* reader.name(last);
      }
    }
  }
}
