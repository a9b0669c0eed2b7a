import { Anchor, Group, Paper, Stack, Title } from "@mantine/core";
import Link from "next/link";
import { type ReactNode, useId } from "react";

type Props = { title: string; children: ReactNode; link?: { href: string; text: string } };

/** One card of the overview, with the way to the page that shows all of it. */
export function Section({ title, link, children }: Props) {
  const id = useId();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id} miw={0}>
      <Stack gap="sm">
        <Group justify="space-between" align="baseline">
          <Title order={2} size="h4" id={id}>
            {title}
          </Title>
          {link && (
            <Anchor component={Link} href={link.href} size="sm">
              {link.text}
            </Anchor>
          )}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
