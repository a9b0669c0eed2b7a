import { NavLink, Text } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { useInstallation } from "../text/installation";
import { isAt, placesOf, type Viewer } from "./navigation";

/** The pages that a role may open, in groups. */
export function NavigationMenu({ role, path }: { role: Viewer["role"]; path: string }) {
  const t = useTranslations("shell");
  const places = placesOf(role, useInstallation().payments !== null);
  const groups = [...new Set(places.map((place) => place.group))];
  return groups.map((group) => (
    <div key={group} className="nav-group">
      <Text size="xs" fw={600} c="dimmed" px="sm" pb={4} className="rail-hidden">
        {t(group)}
      </Text>
      {places
        .filter((place) => place.group === group)
        .map(({ href, label, icon: Icon }) => (
          <NavLink
            key={href}
            component={Link}
            href={href}
            label={t(label)}
            leftSection={<Icon size={18} stroke={1.6} aria-hidden />}
            title={t(label)}
            active={isAt(href, path)}
            aria-current={isAt(href, path) ? "page" : undefined}
          />
        ))}
    </div>
  ));
}
