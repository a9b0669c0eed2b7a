export const languages = ["zh", "en"] as const;

/** A language that everything a person reads is written in. */
export type Language = (typeof languages)[number];

/** The same said in each of them. */
export type Texts = Record<Language, string>;

/** Longer ones are no browser's. */
const MAX_CHARACTERS = 1_000;

/** `en-US;q=0.8` as its language and weight. */
function readRange(range: string): { language: string; weight: number } {
  const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
  return { language: tag.split("-", 1)[0] ?? "", weight: Number(weight) || 0 };
}

/**
 * Which of our languages a reader would rather have, by `accept-language`: the one with the greater weight, the first
 * of two with the same; Chinese when it names neither.
 */
export function languageOf(acceptLanguage: string | null): Language {
  const known = (acceptLanguage ?? "")
    .slice(0, MAX_CHARACTERS)
    .split(",")
    .map(readRange)
    .flatMap(({ language, weight }) => {
      const ours = languages.find((one) => one === language);
      return ours && weight > 0 ? [{ ours, weight }] : [];
    })
    // Stable: of two with the same weight the first stays first.
    .toSorted((left, right) => right.weight - left.weight);
  return known[0]?.ours ?? "zh";
}
