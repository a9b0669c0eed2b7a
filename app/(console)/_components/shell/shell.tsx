"use client";

import { Alert, AppShell, Burger, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconEye } from "@tabler/icons-react";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { type ReactNode, useEffect } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { isReadOnly } from "@/server/domain/roles";
import { useFocusReturn } from "../data/use-focus-return";
import { CommandPalette } from "./command-palette";
import { ConnectionNote } from "./connection-note";
import { LanguageMenu } from "./language-menu";
import { Mark } from "./mark";
import { NavigationMenu } from "./navigation-menu";
import { ThemeMenu } from "./theme-menu";
import { useUpgrade } from "./use-upgrade";
import { useMissingScripts } from "./use-upgrade-notice";
import { UserMenu } from "./user-menu";
import { useViewer } from "./viewer";

/** The frame around every page: menu, palette, language, theme, and the signed-in user. */
export function Shell({ children }: { children: ReactNode }) {
  const t = useTranslations("shell");
  const viewer = useViewer();
  const [isOpen, { toggle, close }] = useDisclosure();
  const path = usePathname();
  useFocusReturn();
  useMissingScripts();
  useUpgrade();
  // On a phone the menu covers the page, so it closes when another page opens.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what it reacts to
  useEffect(close, [path]);
  return (
    <AppShell
      header={{ height: 56 }}
      navbar={{ width: 232, breakpoint: "sm", collapsed: { mobile: !isOpen } }}
      padding={{ base: "md", sm: "xl" }}
    >
      <a href="#content" className="skip">
        {t("skip")}
      </a>
      <AppShell.Header>
        <Group h="100%" px="md" gap="xs" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t("menu")} />
          <Text component={Link} href={addresses.overview()} fw={700} fz="lg" c="bright" className="brand">
            <Mark />
            Tollgate
          </Text>
          <Group gap="xs" ml="auto" wrap="nowrap">
            <CommandPalette role={viewer.role} />
            <LanguageMenu />
            <ThemeMenu />
            <UserMenu {...viewer} />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar aria-label={t("navigation")}>
        <AppShell.Section grow className="scrolls" p="sm">
          <NavigationMenu role={viewer.role} path={path} />
        </AppShell.Section>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <div className="page">
          <ConnectionNote />
          {isReadOnly(viewer.role) && (
            <Alert mb="md" role="note" icon={<IconEye aria-hidden />}>
              {t("readOnly")}
            </Alert>
          )}
          {children}
        </div>
      </AppShell.Main>
    </AppShell>
  );
}
