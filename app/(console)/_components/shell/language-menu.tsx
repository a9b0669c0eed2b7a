"use client";

import { IconLanguage } from "@tabler/icons-react";
import { useRouter } from "next/navigation";
import { useLocale, useTranslations } from "use-intl";
import { LOCALE_COOKIE, type Locale, locales } from "@/app/_i18n/locales";
import { keepCookie } from "@/app/keep-cookie";
import { ActionMenu } from "../fields/action-menu";

const names: Record<Locale, string> = { zh: "中文", en: "English" };

/** Stores the choice in a cookie, so that the server renders the next page in that language. */
export function LanguageMenu() {
  const t = useTranslations("shell");
  const router = useRouter();
  const current = useLocale();
  const choose = (locale: Locale) => {
    keepCookie(LOCALE_COOKIE, locale);
    router.refresh();
  };
  return (
    <ActionMenu
      label={t("language")}
      size="lg"
      icon={<IconLanguage size={20} aria-hidden />}
      entries={locales.map((locale) => ({
        label: names[locale],
        lang: locale,
        isCurrent: locale === current,
        onChoose: () => choose(locale),
      }))}
    />
  );
}
