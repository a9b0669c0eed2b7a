export const locales = ["zh", "en"] as const;
export type Locale = (typeof locales)[number];

/** A reader's choice; without one the browser's languages decide. */
export const LOCALE_COOKIE = "tollgate.locale";

/** What `<html lang>` says. */
export const languageTags: Record<Locale, string> = { zh: "zh-CN", en: "en" };

const isLocale = (text: string | undefined): text is Locale => locales.some((locale) => locale === text);

/** Languages are taken in the order in which browsers send them, which is the order of their weights. */
export function chooseLocale(chosen: string | undefined, acceptLanguage: string | null): Locale {
  if (isLocale(chosen)) {
    return chosen;
  }
  const wanted = (acceptLanguage ?? "").split(",").map((entry) => entry.trim().slice(0, 2).toLowerCase());
  return wanted.find(isLocale) ?? "zh";
}
