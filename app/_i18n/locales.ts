import { type Language, languages } from "@/server/base/language";

export { chooseLanguage as chooseLocale, LOCALE_COOKIE } from "@/server/base/language";

export const locales = languages;
export type Locale = Language;

/** The values of `<html lang>`. */
export const languageTags: Record<Locale, string> = { zh: "zh-CN", en: "en" };
