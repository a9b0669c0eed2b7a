/**
 * Token estimates by character class, in one pass and without keeping text. Holds use them before a call, and charges
 * use them when an upstream reports no usage. Deliberately no tokenizer (docs/decisions/0004).
 */

import { SLICE_CHARACTERS, slicesOf } from "@/server/base/slices";
import { atOnce } from "@/server/base/turns";
import { isJsonObject, type JsonObject, objects, textOf, wordOf } from "../fields";
import type { RedactedBlock, ThinkingBlock } from "../pivot/conversation";
import { carriedText, fromEnvelope } from "../pivot/sealed";
import {
  countFetched,
  countFile,
  countMedia,
  IMAGE_TOKENS,
  mediaMembers,
  type TextCounter,
} from "./estimate-media";
import { type CountedText, countFromSamples, partOf, SAMPLED_ABOVE } from "./sampled-count";

/** Latin letters per token. A letter with an accent, a Greek or a Cyrillic one counts as 2.5 letters. */
const LETTERS_PER_TOKEN = 5;
const OTHER_LETTER = 2.5;

/** Tokens of a character that is no letter of a word. */
function weightOf(code: number): number {
  if (code === 32) {
    // A space belongs to the word that follows; a long run of spaces costs a token now and then.
    return 1 / 40;
  }
  if (code >= 48 && code <= 57) {
    return 1 / 2.5;
  }
  if (code >= 0x2e80) {
    return 1 / 1.3;
  }
  // Punctuation, arrows and boxes; all else is a script for which tokenizers have few words, often only bytes.
  return code < 0xc0 || (code >= 0x2000 && code < 0x2800) ? 1 / 1.6 : 1.2;
}

/** How many letters a character counts for: ASCII, or other Latin, Greek and Cyrillic. 0: no letter. */
function lettersOf(code: number): number {
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) {
    return 1;
  }
  return (code >= 0xc0 && code < 0x530) || (code >= 0x1e00 && code < 0x2000) ? OTHER_LETTER : 0;
}

/** By code unit: letters as they are, all else as its weight below zero. A stream looks up every character here. */
const classes = new Float64Array(0x10000);
for (let code = 0; code < classes.length; code++) {
  classes[code] = lettersOf(code) || -weightOf(code);
}

/**
 * Tokens in a text, as a fraction, so that the counts of a stream's pieces add up: letters at the start of a text may
 * be the rest of a word, every later word is at least one token.
 */
export function countTokens(text: string): number {
  let tokens = 0;
  let letters = 0;
  let least = 0;
  for (let index = 0; index < text.length; index++) {
    const worth = classes[text.charCodeAt(index)] as number;
    if (worth > 0) {
      letters += worth;
      continue;
    }
    if (letters > 0) {
      tokens += Math.max(least, letters / LETTERS_PER_TOKEN);
      letters = 0;
    }
    tokens -= worth;
    least = 1;
  }
  return letters > 0 ? tokens + Math.max(least, letters / LETTERS_PER_TOKEN) : tokens;
}

/** Counts a text's tokens. Yields, so that long work can pause. */
export function* countTokensInSteps(text: string): Generator<void, number> {
  let tokens = 0;
  for (const slice of slicesOf(text)) {
    tokens += countTokens(slice);
    yield;
  }
  return tokens;
}

const decoded = (text: string): CountedText => ({
  length: text.length,
  part: (from, to) => text.slice(from, to),
});

/** Tokens of texts, from samples if they are long; see `countFromSamples`. null: they must be counted in full. */
function sampleTexts(texts: readonly CountedText[]): number | null {
  let length = 0;
  const ends = texts.map((text) => {
    length += text.length;
    return length;
  });
  return length <= SAMPLED_ABOVE
    ? null
    : countFromSamples(length, (from, to) => countTokens(partOf({ texts, ends }, from, to)));
}

/** Tokens of a prompt's texts. Of more than 64 kB an estimate from samples, which is within a few percent. Yields. */
function* countTextsInSteps(texts: readonly CountedText[]): Generator<void, number> {
  const sampled = sampleTexts(texts);
  if (sampled !== null) {
    return sampled;
  }
  let tokens = 0;
  let counted = 0;
  for (const { length, part } of texts) {
    for (let from = 0; from < length; from += SLICE_CHARACTERS) {
      const to = Math.min(length, from + SLICE_CHARACTERS);
      tokens += countTokens(part(from, to));
      counted += to - from;
      if (counted >= SLICE_CHARACTERS) {
        counted = 0;
        yield;
      }
    }
  }
  return tokens;
}

/** As `countTextsInSteps`, without pauses. */
export const countPrompt = (texts: readonly string[]): number =>
  atOnce(countTextsInSteps(texts.map(decoded)));

/** A day of speech, and four times the longest answer of any model. */
const SAMPLE = 1_000_000;

/**
 * Tokens of an upstream's text. Extrapolates a longer one from its beginning: to count all of 50 MB would block other
 * calls for half a second. Not for a client's texts, which could begin with cheap characters.
 */
export const countSaid = (text: string): number =>
  text.length <= SAMPLE ? countTokens(text) : (countTokens(text.slice(0, SAMPLE)) * text.length) / SAMPLE;

/** Tokens of an answer, or of a part of it, as fractions. */
export type SaidTokens = { output: number; reasoning: number };

/** Tokens of several texts of an upstream. Yields, so that long work can pause. */
export function* countAllSaid(texts: Iterable<string>): Generator<void, number> {
  let tokens = 0;
  for (const text of texts) {
    tokens += countSaid(text);
    yield;
  }
  return tokens;
}

/** Counts the tokens of all parts of an answer. Yields. `count` counts one part. */
export function* countParts<Part>(
  parts: readonly Part[],
  count: (part: Part) => Generator<void, SaidTokens>,
): Generator<void, SaidTokens> {
  const sum: SaidTokens = { output: 0, reasoning: 0 };
  for (const part of parts) {
    const { output, reasoning } = yield* count(part);
    sum.output += output;
    sum.reasoning += reasoning;
    yield;
  }
  return sum;
}

/**
 * Encrypted characters for one token of thinking: at least 6.5 in recordings of Claude's signatures, 6.8 in xAI's and 7
 * in OpenAI's encrypted content, all in base64; other languages are denser.
 */
const SEALED_CHARACTERS_PER_TOKEN = 5;

/** The text of thinking that a client sees. */
export const shownOf = (block: ThinkingBlock | RedactedBlock): string =>
  block.type === "thinking" ? block.text : "";

/**
 * Tokens of thinking that goes back to its vendor. `shown`: the tokens of its visible text, which may be a summary: the
 * model reads all of the thinking.
 */
export function countThinking(
  block: ThinkingBlock | RedactedBlock,
  shown = countTokens(shownOf(block)),
): number {
  const sealed = block.type === "redacted" ? block.data : (block.seal?.data ?? "");
  return Math.max(shown, sealed.length / SEALED_CHARACTERS_PER_TOKEN);
}

/** Tokens of a messages-dialect picture or document. */
function countSource(source: unknown, count: TextCounter): number {
  if (!isJsonObject(source)) {
    return count(wordOf(source));
  }
  if (source.type === "base64" && typeof source.data === "string") {
    return countFile(wordOf(source.media_type), { text: source.data, head: 0 }, count);
  }
  return source.type === "content" ? countContent(source.content, count) : count(JSON.stringify(source));
}

/**
 * Tokens of thinking that the upstream receives in addition to the text of its block. A vendor's own signature adds
 * none.
 */
function countCarried(signature: unknown, shown: string): number {
  const carried = fromEnvelope(textOf(signature));
  if (carried?.type !== "thinking" || carried.seal === null) {
    return 0;
  }
  const text = carriedText({ ...carried, text: shown });
  return text === shown ? 0 : Math.max(0, countTokens(text) - countTokens(shown));
}

function countMember(part: JsonObject, name: string, count: TextCounter): number {
  const { type, [name]: value } = part;
  if (name === "type" || name === "cache_control") {
    return 0;
  }
  if (name === "signature" && type === "thinking") {
    return countCarried(value, textOf(part.thinking));
  }
  if (name === "content") {
    return countContent(value, count);
  }
  if (name === "source" && (type === "image" || type === "document")) {
    return countSource(value, count);
  }
  return mediaMembers.get(type) === name ? countMedia(value, count) : count(wordOf(value));
}

const imageTypes = new Set<unknown>(["image", "image_url", "input_image"]);
/** A picture's address is shorter: it is counted at once, because the picture's own tokens include it. */
const ADDRESS_CHARACTERS = 4_096;

const countingAddresses = (count: TextCounter): TextCounter =>
  Object.assign(
    (text: string) => (text.length <= ADDRESS_CHARACTERS ? countTokens(text) : count(text)),
    count.lengthOf && { lengthOf: count.lengthOf },
  );

/** Every member counts, as text or as media, so that no member hides another. */
function countPart(part: unknown, count: TextCounter): number {
  if (!isJsonObject(part)) {
    return count(wordOf(part));
  }
  const isImage = imageTypes.has(part.type);
  const countOwn = isImage ? countingAddresses(count) : count;
  const tokens = Object.keys(part).reduce((sum, name) => sum + countMember(part, name, countOwn), 0);
  return countFetched(part) + Math.max(isImage ? IMAGE_TOKENS : 1, tokens);
}

function countContent(content: unknown, count: TextCounter): number {
  if (Array.isArray(content)) {
    return content.reduce<number>((sum, part) => sum + countPart(part, count), 0);
  }
  return isJsonObject(content) ? countPart(content, count) : count(wordOf(content ?? ""));
}

/** Tokens of a message with its overhead, as a fraction. */
function countMessage({ content, role, ...rest }: JsonObject, count: TextCounter): number {
  const extra = Object.keys(rest).length > 0 ? count(JSON.stringify(rest)) : 0;
  // Three, and the role.
  return 3 + Math.max(1, count(wordOf(role))) + countContent(content, count) + extra;
}

/** Texts that are counted together, after the others. */
const LATER_CHARACTERS = 256;

/** The least that such a text counts: blanks, the cheapest characters, cost 1/40 token each. */
const leastOf = (text: string): number => text.length / 40;

/** The texts of a prompt of which only the beginnings were read. `take`: finds one by its beginning. */
export type FoldedTexts = { take: (beginning: string) => CountedText | null };

/** Counts short texts at once, and collects the others. */
function openCount(folded: FoldedTexts | null) {
  const later: CountedText[] = [];
  let least = 0;
  const count: TextCounter = (text) => {
    if (text.length <= LATER_CHARACTERS) {
      return countTokens(text);
    }
    later.push(folded?.take(text) ?? decoded(text));
    least += leastOf(text);
    return leastOf(text);
  };
  if (folded) {
    count.lengthOf = (text) => folded.take(text)?.length ?? text.length;
  }
  return { count, rest: () => ({ later, least }) };
}

/** Counts a message's tokens. Yields. A long text counts as its minimum until the other texts are counted. */
export function* countMessageInSteps(message: JsonObject): Generator<void, number> {
  const { count, rest } = openCount(null);
  const tokens = countMessage(message, count);
  const { later, least } = rest();
  return tokens - least + (yield* countTextsInSteps(later));
}

/**
 * Input tokens of a chat or messages request: system prompt, messages and their overhead, tool definitions. Yields. A
 * prompt above 64 kB is estimated from samples.
 */
export function* estimateInputInSteps(
  request: JsonObject,
  folded: FoldedTexts | null = null,
): Generator<void, number> {
  const { count, rest } = openCount(folded);
  let tokens = 3 + countContent(request.system, count);
  for (const message of objects(request.messages)) {
    tokens += countMessage(message, count);
  }
  for (const field of ["tools", "functions", "response_format", "output_config"]) {
    tokens += request[field] ? count(JSON.stringify(request[field])) : 0;
  }
  const { later, least } = rest();
  return Math.ceil(tokens - least + (yield* countTextsInSteps(later)));
}

/** As `estimateInputInSteps`, without pauses. */
export const estimateInput = (request: JsonObject): number => atOnce(estimateInputInSteps(request));
