"use client";

import { NavLink, Text } from "@mantine/core";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { addresses } from "@/app/addresses";

type DocGroup = "guide" | "operators";

type Props = {
  entries: { id: string; group: DocGroup; title: string }[];
  labels: Record<DocGroup | "pages", string>;
};

/** The menu of all pages; on a phone, collapsed to one line. */
export function DocMenu({ entries, labels }: Props) {
  const path = usePathname();
  const groups: DocGroup[] = ["guide", "operators"];
  const menu = groups.map((group) => (
    <div key={group} className="nav-group">
      <Text fz="xs" fw={600} c="dimmed" px="sm" mb={4}>
        {labels[group]}
      </Text>
      {entries
        .filter((entry) => entry.group === group)
        .map(({ id, title }) => (
          <NavLink
            key={id}
            component={Link}
            href={addresses.doc(id)}
            label={title}
            active={path === addresses.doc(id)}
            aria-current={path === addresses.doc(id) ? "page" : undefined}
            py={5}
          />
        ))}
    </div>
  ));
  return (
    <>
      <details className="docs-menu-phone" key={path}>
        <summary>{labels.pages}</summary>
        <nav aria-label={labels.pages}>{menu}</nav>
      </details>
      <nav className="docs-menu" aria-label={labels.pages}>
        {menu}
      </nav>
    </>
  );
}
