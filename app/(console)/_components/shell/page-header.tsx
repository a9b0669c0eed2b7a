import { Group, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** A page's one h1, what the page is for, and its main actions. */
export function PageHeader(props: { title: ReactNode; text?: ReactNode; actions?: ReactNode }) {
  return (
    <div className="page-header">
      <Title order={1} size="h2">
        {props.title}
      </Title>
      {props.text && (
        <div className="page-lead">
          <Text c="dimmed" maw={820}>
            {props.text}
          </Text>
        </div>
      )}
      {props.actions && (
        <Group gap="xs" className="page-actions">
          {props.actions}
        </Group>
      )}
    </div>
  );
}
