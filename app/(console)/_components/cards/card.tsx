import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

type Props = {
  title: ReactNode;
  text?: ReactNode;
  /** At the right: a link, or a control that switches between views. */
  aside?: ReactNode;
  children: ReactNode;
};

/** One section of a page: its title, an explanation, and its content. */
export function Card({ title, text, aside, children }: Props) {
  const id = useId();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id} miw={0}>
      <Stack>
        <Group justify="space-between" align="baseline" gap="sm">
          <div>
            <Title order={2} size="h4" id={id}>
              {title}
            </Title>
            {text && (
              <Text size="sm" c="dimmed" maw={620}>
                {text}
              </Text>
            )}
          </div>
          {aside}
        </Group>
        {children}
      </Stack>
    </Paper>
  );
}
