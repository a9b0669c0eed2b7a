import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { useFormatter, useTranslations } from "use-intl";
import type { Measure, SpendSeries } from "./spend-series";
import { useAmount } from "./use-amount";

/** At least 3:1 against both schemes' backgrounds; between two sections there is a line, too. */
const chartColors = ["indigo.6", "orange.8", "teal.7", "grape.6", "cyan.7", "pink.6"] as const;
const OTHERS = "gray.6";

/** Fetched when there is something to draw: see `SpendByDay`. */
export function SpendChart({ series, measure }: { series: SpendSeries; measure: Measure }) {
  const t = useTranslations("overview");
  const format = useFormatter();
  const amount = useAmount("short");
  const number = (value: number) => (measure === "cost" ? amount(String(value)) : format.number(value));
  const short = (day: string) =>
    format.dateTime(new Date(day), { timeZone: "UTC", month: "numeric", day: "numeric" });
  const names = series.models.map((modelId) => modelId || t("noModelName"));
  return (
    <div role="img" aria-label={t("chartLabel", { measure: t(`measures.${measure}`) })}>
      <BarChart
        h={260}
        type="stacked"
        dataKey="day"
        // Columns by their rank: a model's name may hold what the chart reads as a path.
        data={series.rows.map(({ day, values }) => ({
          day: short(day),
          ...Object.fromEntries(values.map((value, rank) => [`m${rank}`, value])),
        }))}
        series={[...names, ...(series.hasOthers ? [t("otherModels")] : [])].map((label, rank) => ({
          name: `m${rank}`,
          label,
          color: chartColors[rank] ?? OTHERS,
        }))}
        valueFormatter={number}
        withLegend
        maxBarWidth={36}
        tickLine="none"
        yAxisProps={{ width: 72 }}
        barProps={{ stroke: "var(--mantine-color-body)", strokeWidth: 1, isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
