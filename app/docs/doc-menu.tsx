"use client";

import { NavLink, Text } from "@mantine/core";
import Link from "next/link";
import { usePathname } from "next/navigation";
import { addresses } from "@/app/addresses";

type Props = {
  groups: { title: string; entries: { id: string; title: string }[] }[];
  title: string;
};

/** The menu of all pages; on a phone, collapsed to one line. */
export function DocMenu({ groups, title }: Props) {
  const path = usePathname();
  const menu = groups.map(({ title: name, entries }) => (
    <div key={name} className="nav-group">
      <Text fz="xs" fw={600} c="dimmed" px="sm" mb={4}>
        {name}
      </Text>
      {entries.map((entry) => (
        <NavLink
          key={entry.id}
          component={Link}
          href={addresses.doc(entry.id)}
          label={entry.title}
          active={path === addresses.doc(entry.id)}
          aria-current={path === addresses.doc(entry.id) ? "page" : undefined}
          py={5}
        />
      ))}
    </div>
  ));
  return (
    <>
      <details className="docs-menu-phone" key={path}>
        <summary>{title}</summary>
        <nav aria-label={title}>{menu}</nav>
      </details>
      <nav className="docs-menu" aria-label={title}>
        {menu}
      </nav>
    </>
  );
}
