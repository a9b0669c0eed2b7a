"use client";

import { ActionIcon, Menu, useMantineColorScheme } from "@mantine/core";
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun } from "@tabler/icons-react";
import { useTranslations } from "use-intl";

const schemes = [
  { value: "light", label: "themeLight", icon: IconSun },
  { value: "dark", label: "themeDark", icon: IconMoon },
  { value: "auto", label: "themeAuto", icon: IconDeviceDesktop },
] as const;

export function ThemeMenu() {
  const t = useTranslations("shell");
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("theme")}>
          <IconSun size={20} className="only-light" aria-hidden />
          <IconMoon size={20} className="only-dark" aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            leftSection={<Icon size={16} aria-hidden />}
            rightSection={value === colorScheme ? <IconCheck size={16} aria-hidden /> : null}
            aria-current={value === colorScheme}
            onClick={() => setColorScheme(value)}
          >
            {t(label)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
