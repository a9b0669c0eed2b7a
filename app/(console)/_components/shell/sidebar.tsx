import { ActionIcon, AppShell, Group, Text } from "@mantine/core";
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from "@tabler/icons-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Mark } from "./mark";
import type { Viewer } from "./navigation";
import { NavigationMenu } from "./navigation-menu";

/** The product's name, which leads to the overview. */
export function Brand({ hiddenFrom }: { hiddenFrom?: "sm" }) {
  return (
    <Text
      component={Link}
      href={addresses.overview()}
      fw={700}
      fz="lg"
      c="bright"
      className="brand"
      {...(hiddenFrom && { hiddenFrom })}
    >
      <Mark />
      <span className="rail-hidden">Tollgate</span>
    </Text>
  );
}

/** The first letters of two words, or of one: "NL" of Northwind Labs, "星" of 星河科技. */
const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => Array.from(word)[0] ?? "")
    .join("")
    .toUpperCase();

/** The account, and the person who is signed in. */
function Person({ email, role, accountName }: Viewer) {
  const users = useTranslations("users");
  const name = accountName ?? users(`role_${role}`);
  return (
    <Group gap="xs" wrap="nowrap" className="sidebar-person" title={`${name} · ${email}`}>
      <span className="initials" aria-hidden>
        {initialsOf(name)}
      </span>
      <div className="rail-hidden">
        <Text size="sm" fw={600} truncate>
          {name}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {email}
        </Text>
      </div>
    </Group>
  );
}

type SidebarProps = { viewer: Viewer; path: string; isRail: boolean; onToggle: () => void };

/** The menu of pages with the account and the person below it. On a medium screen it is a rail of icons. */
export function Sidebar({ viewer, path, isRail, onToggle }: SidebarProps) {
  const t = useTranslations("shell");
  const Icon = isRail ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse;
  return (
    <AppShell.Navbar aria-label={t("navigation")} className="sidebar">
      <AppShell.Section visibleFrom="sm" className="sidebar-head">
        <Brand />
      </AppShell.Section>
      <AppShell.Section grow className="scrolls" px="sm" py="xs">
        <NavigationMenu role={viewer.role} path={path} />
      </AppShell.Section>
      <AppShell.Section className="sidebar-foot">
        <Person {...viewer} />
        <ActionIcon
          variant="subtle"
          color="gray"
          size="md"
          visibleFrom="lg"
          aria-label={t(isRail ? "sidebarWiden" : "sidebarNarrow")}
          onClick={onToggle}
        >
          <Icon size={18} stroke={1.6} aria-hidden />
        </ActionIcon>
      </AppShell.Section>
    </AppShell.Navbar>
  );
}
