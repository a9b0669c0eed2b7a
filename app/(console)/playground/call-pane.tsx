import { Grid, Paper, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { failureOf } from "./call";
import { FailureNote } from "./failure-note";
import { NothingYet } from "./nothing-yet";

type Props = {
  /** Of twelve columns, how many the form takes. */
  span: number;
  form: ReactNode;
  call: { isIdle: boolean; isPending: boolean; error: unknown };
  onSubmit: () => void;
  /** Where the answer will stand. */
  empty: { icon: ReactNode; text: string };
  /** The answer. */
  children: ReactNode;
};

/** A form that makes one call, and beside it what came of it. */
export function CallPane({ span, form, call, onSubmit, empty, children }: Props) {
  const t = useTranslations("playground");
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: span }}>
        <Paper
          withBorder
          p="md"
          component="form"
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          <VisuallyHidden component="h2">{t("settings")}</VisuallyHidden>
          {form}
        </Paper>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 12 - span }}>
        <section aria-live="polite" aria-busy={call.isPending}>
          {call.error !== null && <FailureNote failure={failureOf(call.error)} />}
          {children}
          {call.isIdle && <NothingYet {...empty} />}
        </section>
      </Grid.Col>
    </Grid>
  );
}
