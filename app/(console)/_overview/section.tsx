import { Anchor } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import { Card } from "../_components/cards/card";

type Props = { title: string; text?: string; children: ReactNode; link?: { href: string; text: string } };

/** One card of the overview, with a link to the page that shows all of it. */
export function Section({ title, text, link, children }: Props) {
  const more = link && (
    <Anchor component={Link} href={link.href} size="sm">
      {link.text}
    </Anchor>
  );
  return (
    <Card title={title} text={text} aside={more}>
      {children}
    </Card>
  );
}
