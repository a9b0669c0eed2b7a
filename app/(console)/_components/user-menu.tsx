"use client";

import { ActionIcon, Menu, Text } from "@mantine/core";
import { IconLogout, IconShieldLock, IconUserCircle } from "@tabler/icons-react";
import Link from "next/link";
import { signOut } from "next-auth/react";
import { useTranslations } from "use-intl";

export function UserMenu({ email }: { email: string }) {
  const t = useTranslations("shell");
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t("userMenu", { email })}>
          <IconUserCircle size={22} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Text size="sm" px="sm" py={6} c="dimmed" className="wrap-anywhere">
          {email}
        </Text>
        <Menu.Item component={Link} href="/security" leftSection={<IconShieldLock size={16} aria-hidden />}>
          {t("security")}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => void signOut({ callbackUrl: "/sign-in" })}
        >
          {t("signOut")}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
