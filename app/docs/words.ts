/** Splits Chinese, which has no spaces, as well as English. */
const segmenter = new Intl.Segmenter("zh", { granularity: "word" });

/**
 * The words of a text, in lower case. A name such as `MAX_KEYS` is one word and also its parts, so that a search finds it
 * by either.
 */
export function wordsIn(text: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text.toLowerCase())) {
    if (isWordLike) {
      words.push(segment);
      if (segment.includes("_")) {
        words.push(...segment.split("_").filter((part) => part !== ""));
      }
    }
  }
  return words;
}
