import { type Language, languageOf, languages } from "@/server/base/language";

export const locales = languages;
export type Locale = Language;

/** The reader's choice of language; without it the browser's languages decide. */
export const LOCALE_COOKIE = "tollgate.locale";

/** The values of `<html lang>`. */
export const languageTags: Record<Locale, string> = { zh: "zh-CN", en: "en" };

const isLocale = (text: string | undefined): text is Locale => locales.some((locale) => locale === text);

/** The reader's choice wins over the browser's preference. */
export function chooseLocale(chosen: string | undefined, acceptLanguage: string | null): Locale {
  if (isLocale(chosen)) {
    return chosen;
  }
  return languageOf(acceptLanguage);
}
