import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { useFormatter, useTranslations } from "use-intl";
import type { ChannelReport } from "./channel";

/** Attempts by interval: successful ones, and failed ones on top. Fetched when there is data to draw. */
export function ReportChart({ report }: { report: ChannelReport }) {
  const t = useTranslations("channels");
  const format = useFormatter();
  const isLong = Date.parse(report.until) - Date.parse(report.from) > 86_400_000;
  const short = (at: string) =>
    format.dateTime(new Date(at), {
      ...(isLong && { month: "numeric", day: "numeric" }),
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  return (
    <div role="img" aria-label={t("reportChart")}>
      <BarChart
        h={200}
        type="stacked"
        dataKey="at"
        data={report.parts.map(({ at, ok, failed }) => ({ at: short(at), ok, failed }))}
        series={[
          { name: "ok", label: t("outcomes.ok"), color: "teal.7" },
          { name: "failed", label: t("failedAttempts"), color: "red.7" },
        ]}
        valueFormatter={(value) => format.number(value)}
        withLegend
        maxBarWidth={28}
        tickLine="none"
        xAxisProps={{ interval: "equidistantPreserveStart" }}
        yAxisProps={{ width: 48, allowDecimals: false }}
        barProps={{ stroke: "var(--mantine-color-body)", strokeWidth: 1, isAnimationActive: false }}
        barChartProps={{ accessibilityLayer: false }}
      />
    </div>
  );
}
