export const languages = ["zh", "en"] as const;

/** A language of all texts for people. */
export type Language = (typeof languages)[number];

/** The same text in each language. */
export type Texts = Record<Language, string>;

/** No browser sends a longer header. */
const MAX_CHARACTERS = 1_000;

/** Parses `en-US;q=0.8` into language and weight. */
function readRange(range: string): { language: string; weight: number } {
  const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
  return { language: tag.split("-", 1)[0] ?? "", weight: Number(weight) || 0 };
}

/**
 * The reader's preferred language of ours, by `accept-language`: the one with the greater weight, the first of two with
 * equal weight; Chinese if it names neither.
 */
export function languageOf(acceptLanguage: string | null): Language {
  const matches = (acceptLanguage ?? "")
    .slice(0, MAX_CHARACTERS)
    .split(",")
    .map(readRange)
    .flatMap(({ language, weight }) => {
      const ours = languages.find((candidate) => candidate === language);
      return ours && weight > 0 ? [{ ours, weight }] : [];
    })
    // The sort is stable: with equal weights, the first stays first.
    .toSorted((left, right) => right.weight - left.weight);
  return matches[0]?.ours ?? "zh";
}

/** The reader's choice of language; without it the browser's languages decide. */
export const LOCALE_COOKIE = "tollgate.locale";

/** The language of a page: the reader's choice wins over the browser's preference. */
export const chooseLanguage = (chosen: string | undefined, acceptLanguage: string | null): Language =>
  languages.find((language) => language === chosen) ?? languageOf(acceptLanguage);

/** The same from the headers of the page's request. */
export function readerLanguage(headers: { get: (name: string) => string | null }): Language {
  const cookies = (headers.get("cookie") ?? "").split(";").map((pair) => pair.trim().split("="));
  const [, chosen] = cookies.find(([name]) => name === LOCALE_COOKIE) ?? [];
  return chooseLanguage(chosen, headers.get("accept-language"));
}

/** The same text in both languages. */
export const both = (zh: string, en: string): Texts => ({ zh, en });
