import "@mantine/charts/styles.css";
import { BarChart } from "@mantine/charts";
import { Stack } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useFormatter, useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Legend } from "../_components/charts/chart-legend";
import { ColumnBrush } from "../_components/charts/column-brush";
import { useLegend } from "../_components/charts/use-legend";
import type { ChannelReport } from "./channel";

type Props = { report: ChannelReport; channelId: string };

/**
 * Attempts by interval: successful ones, and failed ones on top. Chosen columns lead to the requests of their time.
 * Fetched when there is data to draw.
 */
export function ReportChart({ report, channelId }: Props) {
  const t = useTranslations("channels");
  const common = useTranslations("common");
  const format = useFormatter();
  const router = useRouter();
  const { parts, from, until } = report;
  const isLong = Date.parse(until) - Date.parse(from) > 86_400_000;
  const short = (at: string) =>
    format.dateTime(new Date(at), {
      ...(isLong && { month: "numeric", day: "numeric" }),
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
  const drawn = [
    { name: "ok", label: t("outcomes.ok"), color: "teal.7" },
    { name: "failed", label: t("failedAttempts"), color: "red.7" },
  ];
  const { hidden, shown, toggle } = useLegend(drawn);
  const endOf = (column: number) => parts[column + 1]?.at ?? until;
  const textOf = (first: number, last: number) => {
    const marked = parts.slice(first, last + 1);
    const sum = marked.reduce(
      (total, part) => total + (hidden.has("ok") ? 0 : part.ok) + (hidden.has("failed") ? 0 : part.failed),
      0,
    );
    return common("columnsSum", {
      first: short(marked[0]?.at ?? until),
      last: short(endOf(last)),
      sum: format.number(sum),
    });
  };
  return (
    <Stack gap="sm">
      <ColumnBrush
        count={parts.length}
        textOf={textOf}
        onChoose={(first, last) =>
          router.push(
            addresses.allRequests({
              channel: channelId,
              from: parts[first]?.at ?? from,
              until: endOf(last),
            }),
          )
        }
      >
        <div role="img" aria-label={t("reportChart")}>
          <BarChart
            h={200}
            type="stacked"
            dataKey="at"
            data={parts.map(({ at, ok, failed }) => ({ at: short(at), ok, failed }))}
            series={shown}
            valueFormatter={(value) => format.number(value)}
            maxBarWidth={28}
            tickLine="none"
            xAxisProps={{ interval: "equidistantPreserveStart", minTickGap: 36 }}
            // All labels: the highest one would otherwise be moved below its line.
            yAxisProps={{ width: 48, allowDecimals: false, interval: 0 }}
            barProps={{ stroke: "var(--mantine-color-body)", strokeWidth: 1, isAnimationActive: false }}
            barChartProps={{ accessibilityLayer: false, style: { cursor: "pointer" } }}
          />
        </div>
      </ColumnBrush>
      <Legend drawn={drawn} hidden={hidden} onToggle={toggle} />
    </Stack>
  );
}
