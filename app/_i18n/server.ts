import { cookies, headers } from "next/headers";
import { createTranslator } from "use-intl/core";
import { chooseLocale, LOCALE_COOKIE, type Locale } from "./locales";
import { messagesOf } from "./messages";

/** The language of the request under way. */
export async function getLocale(): Promise<Locale> {
  const chosen = (await cookies()).get(LOCALE_COOKIE)?.value;
  return chooseLocale(chosen, (await headers()).get("accept-language"));
}

/** The console's texts for server components. */
export async function getTranslator() {
  const locale = await getLocale();
  return createTranslator({ locale, messages: messagesOf(locale) });
}
