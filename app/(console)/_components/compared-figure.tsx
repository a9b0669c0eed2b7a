import { Paper, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Difference } from "./difference";

export type Compared = {
  id: string;
  name: string;
  now: number;
  before: number;
  show: (of: "now" | "before") => ReactNode;
};

/** A figure beside the one of the span before. */
export function ComparedFigure({ name, now, before, show }: Compared) {
  const t = useTranslations("usage");
  return (
    <Paper withBorder p="md" component="div">
      <Text component="dt" size="sm">
        {name}
      </Text>
      <Text component="dd" m={0} fz="xl" fw={650} data-figure>
        {show("now")}
      </Text>
      <Text component="dd" m={0} size="sm" c="dimmed">
        {t("before")} {show("before")} · <Difference now={now} before={before} />
      </Text>
    </Paper>
  );
}
