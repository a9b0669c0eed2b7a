import { Paper, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Difference } from "../tables/difference";

export type FigureComparison = {
  id: string;
  name: string;
  /** Absent for a share: growth in per cent of a share would mislead. */
  sums?: { now: number; before: number };
  show: (span: "now" | "before") => ReactNode;
  /** Whether the previous span has the figure; true if absent. */
  hasBefore?: boolean;
};

/** A figure and the same figure of the previous span. */
export function ComparedFigure({ name, sums, show, hasBefore = true }: FigureComparison) {
  const t = useTranslations("usage");
  return (
    <Paper withBorder p="md" component="div">
      <Text component="dt" size="sm">
        {name}
      </Text>
      <Text component="dd" m={0} fz="xl" fw={650} data-figure>
        {show("now")}
      </Text>
      {hasBefore && (
        <Text component="dd" m={0} size="sm" c="dimmed">
          {t("versus")} {show("before")}
          {sums && (
            <>
              {" ("}
              <Difference {...sums} />)
            </>
          )}
        </Text>
      )}
    </Paper>
  );
}
