"use client";

import { Anchor } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import Link from "next/link";
import type { ReactNode } from "react";

/** A link from a page to the list that it belongs to. Stands above the page's title. */
export function BackLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <Anchor
      component={Link}
      href={href}
      size="sm"
      display="inline-flex"
      mb="xs"
      style={{ alignItems: "center", gap: 4 }}
    >
      <IconArrowLeft size={16} aria-hidden />
      {children}
    </Anchor>
  );
}
