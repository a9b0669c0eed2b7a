import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { DocLink } from "../snippets/doc-link";

type Props = { icon: ReactNode; title: string; text?: string; action?: ReactNode; doc?: string };

/**
 * Shown instead of an empty list: says why it is empty and what to do next. `doc`: the page of the documentation on
 * it.
 */
export function EmptyState(props: Props) {
  return (
    <Paper withBorder p="xl" ta="center">
      <Stack align="center" gap="xs">
        <span aria-hidden className="empty-icon">
          {props.icon}
        </span>
        <Title order={2} size="h4">
          {props.title}
        </Title>
        {props.text && (
          <Text c="dimmed" maw={460} className="balanced">
            {props.text}
          </Text>
        )}
        {props.action && (
          <Group justify="center" gap="xs" mt="xs">
            {props.action}
          </Group>
        )}
        {props.doc && <DocLink page={props.doc} />}
      </Stack>
    </Paper>
  );
}
