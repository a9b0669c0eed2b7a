import type { Metadata } from "next";
import { cookies, headers } from "next/headers";
import { cache } from "react";
import { createTranslator } from "use-intl/core";
import { chooseLocale, LOCALE_COOKIE, type Locale } from "./locales";
import { messagesOf } from "./messages";
import { chooseZone, ZONE_COOKIE } from "./zone";

/** The language of the current request. */
export async function getLocale(): Promise<Locale> {
  const chosen = (await cookies()).get(LOCALE_COOKIE)?.value;
  return chooseLocale(chosen, (await headers()).get("accept-language"));
}

/** The time zone from the cookie that the reader's browser has set. */
export const getZone = async (): Promise<string> => chooseZone((await cookies()).get(ZONE_COOKIE)?.value);

/** The time of the current request: the same moment in everything that is rendered for it. */
export const requestedAt = cache(() => Date.now());

/** The console's texts for server components. */
export async function getTranslator() {
  const locale = await getLocale();
  return createTranslator({ locale, messages: messagesOf(locale) });
}

type Text = Parameters<Awaited<ReturnType<typeof getTranslator>>>[0];

/** A page's `generateMetadata`: its title, in the reader's language. */
export const titled = (text: Text) => async (): Promise<Metadata> => ({
  title: (await getTranslator())(text),
});
