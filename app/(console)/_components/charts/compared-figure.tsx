import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { Difference } from "../tables/difference";

export type FigureComparison = {
  id: string;
  name: string;
  /** Absent for a share: growth in per cent of a share would mislead. */
  sums?: { now: number; before: number };
  show: (span: "now" | "before") => ReactNode;
};

type Props = {
  figures: FigureComparison[];
  /** Whether there was anything in the previous span. */
  isCompared: boolean;
};

/** Figures next to each other on the page's ground; the first is the page's large one. */
export const ComparedFigures = ({ figures, isCompared }: Props) => (
  <dl className="compared">
    {figures.map((figure) => (
      <ComparedFigure key={figure.id} isCompared={isCompared} {...figure} />
    ))}
  </dl>
);

/** A figure and the same figure of the previous span. */
function ComparedFigure({ name, sums, show, isCompared }: FigureComparison & Pick<Props, "isCompared">) {
  const t = useTranslations("usage");
  return (
    <div>
      <Text component="dt" size="sm">
        {name}
      </Text>
      <dd className="compared-figure" data-figure>
        {show("now")}
      </dd>
      {isCompared && (
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
    </div>
  );
}
