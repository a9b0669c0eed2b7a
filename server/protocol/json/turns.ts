/** Reads an upstream's long JSON in steps: the engine's own parser blocks other work too long on many values. */
import type { LongText } from "@/server/base/slices";
import { isCarried, parseExact } from "./exact-numbers";
import { JsonReader, type ReaderRules } from "./reader";

/** Texts up to this length go to the engine's own parser: it is quicker, and takes some 10 ms for so much at worst. */
export const MAX_AT_ONCE_CHARACTERS = 256 * 1024;

/** Like `parseExact`; a long text in steps, like `parseInTurns`. */
export function* parseExactInSteps(text: string): Generator<void, unknown> {
  return text.length > MAX_AT_ONCE_CHARACTERS
    ? yield* parseInTurns(text, { isExact: true })
    : parseExact(text);
}

export const answerRules: ReaderRules = {
  ...{ mostValues: Number.POSITIVE_INFINITY, areNamesValues: false },
  // Deeper than any client nests, and too deep to print. Endlessly nested lists would fill the memory.
  mostLevels: 10_000,
  // With more names in one object, V8 takes far longer for each.
  mostNames: 50_000,
  mostNameCharacters: MAX_AT_ONCE_CHARACTERS,
  ...{
    mostMembers: 0,
    allowsAmbiguousNames: true,
    isExact: false,
    isBytes: false,
    longTexts: null,
    note: null,
  },
  carries: isCarried,
  tooMuch: () => new SyntaxError("more than an answer has"),
};

/** `isExact`: for the whole text. `longTexts`: gets the pieces of long texts. The others are limits. */
type ParseOptions = Partial<Pick<ReaderRules, "isExact" | "mostValues" | "mostLevels" | "longTexts">>;

/**
 * Like `parseCarrying`, or with `isExact` like `parseExact`. Yields. Throws SyntaxError, also for absurdly deep nesting.
 */
export const parseInTurns = (text: LongText, options?: ParseOptions): Generator<void, unknown> =>
  new JsonReader(text, { ...answerRules, ...options }).read();
