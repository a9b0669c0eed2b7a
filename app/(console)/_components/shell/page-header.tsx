import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** A page's one h1, what the page is for, and its main actions. */
export function PageHeader(props: { title: ReactNode; text?: ReactNode; actions?: ReactNode }) {
  return (
    <Group justify="space-between" align="flex-start" mb="lg" gap="sm">
      <Stack gap={4} className="grow">
        <Title order={1} size="h2">
          {props.title}
        </Title>
        {props.text && (
          <Text c="dimmed" maw={820}>
            {props.text}
          </Text>
        )}
      </Stack>
      {props.actions && <Group gap="xs">{props.actions}</Group>}
    </Group>
  );
}
