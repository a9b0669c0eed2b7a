import { Paper, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** There is nothing yet: says why, and what to do next. */
export function EmptyState(props: { icon: ReactNode; title: string; text?: string; action?: ReactNode }) {
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
          <Text c="dimmed" maw={460}>
            {props.text}
          </Text>
        )}
        {props.action}
      </Stack>
    </Paper>
  );
}
