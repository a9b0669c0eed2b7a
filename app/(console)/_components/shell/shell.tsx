"use client";

import { Alert, AppShell, Burger, Group } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconEye } from "@tabler/icons-react";
import { usePathname } from "next/navigation";
import { type ReactNode, useEffect, useState } from "react";
import { useTranslations } from "use-intl";
import { isReadOnly } from "@/server/domain/roles";
import { useFocusReturn } from "../data/use-focus-return";
import { CommandPalette } from "./command-palette";
import { ConnectionNote } from "./connection-note";
import { LanguageMenu } from "./language-menu";
import { Brand, Sidebar } from "./sidebar";
import { keepSidebar } from "./sidebar-width";
import { ThemeMenu } from "./theme-menu";
import { useUpgrade } from "./use-upgrade";
import { useMissingScripts } from "./use-upgrade-notice";
import { UserMenu } from "./user-menu";
import { useViewer } from "./viewer";

const RAIL_WIDTH = 64;
const FULL_WIDTH = 240;

/** The frame around every page: menu, palette, language, theme, and the signed-in user. */
export function Shell({ startsAsRail, children }: { startsAsRail: boolean; children: ReactNode }) {
  const t = useTranslations("shell");
  const viewer = useViewer();
  const [isOpen, { toggle, close }] = useDisclosure();
  const [isRail, setRail] = useState(startsAsRail);
  const path = usePathname();
  useFocusReturn();
  useMissingScripts();
  useUpgrade();
  // On a phone the menu covers the page, so it closes when another page opens.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the path is what it reacts to
  useEffect(close, [path]);
  const toggleRail = () => {
    keepSidebar(!isRail);
    setRail(!isRail);
  };
  return (
    <AppShell
      layout="alt"
      header={{ height: 56 }}
      navbar={{
        // Between a phone and a wide screen the menu is a rail, so that tables have the room.
        width: { base: "100%", sm: RAIL_WIDTH, lg: isRail ? RAIL_WIDTH : FULL_WIDTH },
        breakpoint: "sm",
        collapsed: { mobile: !isOpen },
      }}
      padding={{ base: "md", sm: "xl" }}
    >
      <a href="#content" className="skip">
        {t("skip")}
      </a>
      <AppShell.Header className="topbar">
        <Group h="100%" px={{ base: "md", sm: "xl" }} gap="xs" wrap="nowrap">
          <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label={t("menu")} />
          <Brand hiddenFrom="sm" />
          <CommandPalette role={viewer.role} />
          <Group gap="xs" ml={{ base: 0, sm: "auto" }} wrap="nowrap">
            <LanguageMenu />
            <ThemeMenu />
            <UserMenu {...viewer} />
          </Group>
        </Group>
      </AppShell.Header>
      <Sidebar viewer={viewer} path={path} isRail={isRail} onToggle={toggleRail} />
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
