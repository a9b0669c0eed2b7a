import { Group, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";

type Props = {
  title: ReactNode;
  text?: ReactNode;
  /** At its right: what leads on, or what chooses among views of it. */
  aside?: ReactNode;
  children: ReactNode;
};

/** One matter of a page: its name, what there is to know of it, and itself. */
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
