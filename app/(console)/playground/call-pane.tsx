import { Grid, Paper, VisuallyHidden } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { failureOf } from "./call";
import { FailureNote } from "./failure-note";
import { NothingYet } from "./nothing-yet";

type Props = {
  /** The form's width, in twelfths. */
  span: number;
  form: ReactNode;
  call: { isIdle: boolean; isPending: boolean; error: unknown };
  onSubmit: () => void;
  /** Shown in the answer's place before the first call. */
  empty: { icon: ReactNode; text: string };
  /** The answer. */
  children: ReactNode;
};

/** A form that makes one call, and next to it the result. */
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
