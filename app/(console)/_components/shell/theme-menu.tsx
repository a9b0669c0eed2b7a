"use client";

import { useMantineColorScheme } from "@mantine/core";
import { IconDeviceDesktop, IconMoon, IconSun } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { ActionMenu } from "../fields/action-menu";

const schemes = [
  { value: "light", label: "themeLight", icon: IconSun },
  { value: "dark", label: "themeDark", icon: IconMoon },
  { value: "auto", label: "themeAuto", icon: IconDeviceDesktop },
] as const;

export function ThemeMenu() {
  const t = useTranslations("shell");
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <ActionMenu
      label={t("theme")}
      size="lg"
      icon={
        <>
          <IconSun size={20} className="only-light" aria-hidden />
          <IconMoon size={20} className="only-dark" aria-hidden />
        </>
      }
      entries={schemes.map(({ value, label, icon }) => ({
        label: t(label),
        icon,
        isCurrent: value === colorScheme,
        onChoose: () => setColorScheme(value),
      }))}
    />
  );
}
