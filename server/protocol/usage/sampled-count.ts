/**
 * The tokens of a long prompt, from samples: to count all of 32 MB takes 200 ms. Positions are random for each count.
 * If they could be predicted, or stayed the same for the same text, a client could find cheap ones and put its words
 * between them.
 */
import { randomFillSync } from "node:crypto";

const SAMPLES = 128;
const SAMPLE_LENGTH = 512;

/** Up to this length the texts are counted in full, for the same price. */
export const SAMPLED_ABOVE = SAMPLES * SAMPLE_LENGTH;

/**
 * The standard error beyond which samples say too little, as a share of the count. A text of cheap and expensive parts
 * that the samples do not resolve is above it, so it is counted in full.
 */
const MAX_ERROR = 0.03;

/**
 * The tokens per character below which samples say too little: a hundred characters in ten thousand may escape all of
 * them, and cost as much as the rest if the rest is blanks. Prose and code have 0.2, Chinese in escapes 0.13.
 */
const MIN_DENSITY = 1 / 8;

/**
 * Tokens of a text of `length` units. `countAt` counts the units from one position to another. null: the samples are
 * so cheap, or differ so much, that only a full count is close. The error compares neighbours, so a text whose halves differ is no reason.
 */
export function countFromSamples(
  length: number,
  countAt: (from: number, to: number) => number,
): number | null {
  const stratum = length / SAMPLES;
  const chance = randomFillSync(new Uint32Array(SAMPLES));
  let sum = 0;
  let before = 0;
  let squares = 0;
  for (const [index, random] of chance.entries()) {
    const room = Math.max(0, stratum - SAMPLE_LENGTH);
    const from = Math.floor(index * stratum + (random / 2 ** 32) * room);
    const tokens = countAt(from, Math.min(length, from + SAMPLE_LENGTH));
    squares += index > 0 ? (tokens - before) ** 2 / 2 : 0;
    before = tokens;
    sum += tokens;
  }
  const isClose = Math.sqrt(squares) <= MAX_ERROR * sum;
  const density = sum / (SAMPLES * SAMPLE_LENGTH);
  return isClose && density >= MIN_DENSITY ? density * length : null;
}

/** A text that is counted, and need not be decoded: `part` gives what is between two positions. */
export type CountedText = { length: number; part: (from: number, to: number) => string };

/** Several texts as one. `ends`: where each of them ends. */
type Joined = { texts: readonly CountedText[]; ends: readonly number[] };

/** The part between two positions. */
export function partOf({ texts, ends }: Joined, from: number, to: number): string {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    [low, high] = (ends[middle] as number) > from ? [low, middle] : [middle + 1, high];
  }
  let part = "";
  for (let place = from; place < to && low < texts.length; low++) {
    const text = texts[low] as CountedText;
    const start = (ends[low] as number) - text.length;
    part += text.part(place - start, Math.min(text.length, to - start));
    place = start + text.length;
  }
  return part;
}
