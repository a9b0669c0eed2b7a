import { Alert, Paper, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useId } from "react";
import { useFailure } from "../_components/failure";

type Props = { title: string; badge?: ReactNode; text: string; children: ReactNode };

/** One matter of signing in. */
export function Card({ title, badge, text, children }: Props) {
  const id = useId();
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby={id}>
      <Stack>
        <div>
          <Title order={2} size="h4" id={id}>
            {title} {badge}
          </Title>
          <Text size="sm" c="dimmed" maw={620}>
            {text}
          </Text>
        </div>
        {children}
      </Stack>
    </Paper>
  );
}

/** Why a form's change was refused. */
export function Refused({ error }: { error: { message: string } | null }) {
  const failure = useFailure();
  if (!error) {
    return null;
  }
  const { title, text } = failure(error);
  return (
    <Alert color="red" role="alert" title={title}>
      {text}
    </Alert>
  );
}
