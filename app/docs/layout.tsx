import "./docs.css";
import { Anchor, Group, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { getLocale, getTranslator } from "@/app/_i18n/server";
import { LanguageMenu } from "@/app/(console)/_components/shell/language-menu";
import { Mark } from "@/app/(console)/_components/shell/mark";
import { ThemeMenu } from "@/app/(console)/_components/shell/theme-menu";
import { addresses } from "@/app/addresses";
import { groups, pages } from "@/server/reference";
import { DocMenu } from "./doc-menu";
import { SearchForm } from "./search-form";

/** The frame around the documentation, which is public. */
export default async function DocsLayout({ children }: { children: ReactNode }) {
  const t = await getTranslator();
  const locale = await getLocale();
  return (
    <div className="docs">
      <a href="#content" className="skip">
        {t("shell.skip")}
      </a>
      <header className="docs-header">
        <Group gap="md" wrap="nowrap">
          <Anchor href={addresses.docs()} fw={700} fz="lg" c="bright" className="brand">
            <Mark />
            Tollgate
          </Anchor>
          <Text c="dimmed" visibleFrom="md">
            {t("docs.title")}
          </Text>
        </Group>
        <SearchForm label={t("docs.search")} />
        <Group gap="xs" wrap="nowrap">
          <Anchor href={addresses.openApi()} fz="sm" visibleFrom="sm">
            OpenAPI
          </Anchor>
          <Anchor href={addresses.overview()} fz="sm">
            {t("docs.console")}
          </Anchor>
          <LanguageMenu />
          <ThemeMenu />
        </Group>
      </header>
      <div className="docs-body">
        <DocMenu
          title={t("docs.pages")}
          groups={groups.map((group) => ({
            title: t(`docs.${group}`),
            entries: pages
              .filter((page) => page.group === group)
              .map(({ id, title }) => ({ id, title: title[locale] })),
          }))}
        />
        <main>{children}</main>
      </div>
    </div>
  );
}
