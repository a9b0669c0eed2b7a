import * as en from "../_messages/en";
import * as zh from "../_messages/zh";
import type { Locale } from "./locales";

export type Messages = typeof en;

/** The types require Chinese to have exactly the texts of English. */
const catalogs: Record<Locale, Messages> = { en, zh };

/** Every text of the console in one language, by screen. */
export const messagesOf = (locale: Locale): Messages => ({ ...catalogs[locale] });
