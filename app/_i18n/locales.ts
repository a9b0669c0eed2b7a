import { type Language, languageOf, languages } from "@/server/base/language";

export const locales = languages;
export type Locale = Language;

/** A reader's choice; without one the browser's languages decide. */
export const LOCALE_COOKIE = "tollgate.locale";

/** What `<html lang>` says. */
export const languageTags: Record<Locale, string> = { zh: "zh-CN", en: "en" };

const isLocale = (text: string | undefined): text is Locale => locales.some((locale) => locale === text);

/** A choice of the reader's comes before what the browser would rather have. */
export function chooseLocale(chosen: string | undefined, acceptLanguage: string | null): Locale {
  if (isLocale(chosen)) {
    return chosen;
  }
  return languageOf(acceptLanguage);
}
