import { useTranslations } from "use-intl";
import type { Measure } from "../_components/charts/spend-series";
import { LazyColumns } from "../_components/tables/lazy-columns";
import type { UsageFigures } from "./usage-filter";
import { useGroupName } from "./use-group-name";
import { usePointName } from "./use-point-name";

type Point = UsageFigures["chart"]["series"][number]["points"][number];

/** To draw only: the last digits of an amount may get lost. */
const figureOf = ({ amount, calls, tokens }: Point, measure: Measure): number =>
  ({ cost: Number(amount), calls, tokens })[measure];

type Props = { usage: UsageFigures; measure: Measure; onChoose: (first: string, last: string) => void };

export function UsageChart({ usage, measure, onChoose }: Props) {
  const t = useTranslations("usage");
  const overview = useTranslations("overview");
  const nameOf = useGroupName(usage);
  const { unit, points, series } = usage.chart;
  const short = usePointName(unit);
  return (
    <LazyColumns
      label={t("chartLabel", { measure: overview(`measures.${measure}`) })}
      columns={points.map(short)}
      series={series.map((entry) => ({
        label: nameOf(entry.id),
        isOthers: entry.id === null,
        values: entry.points.map((point) => figureOf(point, measure)),
      }))}
      measure={measure}
      onChoose={(first, last) => {
        const [from, to] = [points[first], points[last]];
        if (from !== undefined && to !== undefined) {
          onChoose(from, to);
        }
      }}
    />
  );
}
