"use client";

import { ActionIcon, Menu } from "@mantine/core";
import { IconCheck, IconLanguage } from "@tabler/icons-react";
import { useRouter } from "next/navigation";
import { useLocale, useTranslations } from "use-intl";
import { LOCALE_COOKIE, type Locale, locales } from "@/app/_i18n/locales";

const names: Record<Locale, string> = { zh: "中文", en: "English" };
const YEAR_SECONDS = 31_536_000;

/** Remembers the choice in a cookie, so that the next page is rendered in it. */
export function LanguageMenu() {
  const t = useTranslations("shell");
  const router = useRouter();
  const current = useLocale();
  const choose = (locale: Locale) => {
    const attributes = `path=/; max-age=${YEAR_SECONDS}; samesite=lax`;
    // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is not in every browser that we serve
    document.cookie = `${LOCALE_COOKIE}=${locale}; ${attributes}`;
    router.refresh();
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("language")}>
          <IconLanguage size={20} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {locales.map((locale) => (
          <Menu.Item
            key={locale}
            lang={locale}
            onClick={() => choose(locale)}
            rightSection={locale === current ? <IconCheck size={16} aria-hidden /> : null}
            aria-current={locale === current}
          >
            {names[locale]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
