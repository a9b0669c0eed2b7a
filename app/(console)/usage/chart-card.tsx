import { SegmentedControl } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../_components/cards/card";
import { type Measure, measures } from "../_components/charts/spend-series";
import { UsageChart } from "./usage-chart";
import {
  callsOf,
  daysOfMonth,
  hourAt,
  type UsageFigures,
  type UsageSide,
  usageParsers,
} from "./usage-filter";

type Props = { side: UsageSide; usage: UsageFigures; account: string | null; measure: Measure };

/** A span over time. A column is a link: an hour to its calls, a day to its hours, a month to its days. */
export function ChartCard({ side, usage, account, measure }: Props) {
  const t = useTranslations("usage");
  const overview = useTranslations("overview");
  const router = useRouter();
  const [, setMeasure] = useQueryState("measure", usageParsers.measure);
  const { by, chart } = usage;
  const lead = (point: string) => {
    if (chart.unit === "hour") {
      router.push(callsOf({ side, by, account }, null, hourAt(point)));
      return;
    }
    const days = chart.unit === "day" ? { from: point, to: point } : daysOfMonth(point);
    const to = { by, ...days, account: account ?? undefined };
    router.push(side === "owner" ? addresses.usage(to) : addresses.allUsage(to));
  };
  const choice = (
    <SegmentedControl
      size="xs"
      aria-label={overview("measure")}
      value={measure}
      onChange={(chosen) => void setMeasure(chosen)}
      data={measures.map((value) => ({ value, label: overview(`measures.${value}`) }))}
    />
  );
  return (
    <Card title={t("overTime")} text={t(`columns.${chart.unit}`)} aside={choice}>
      <UsageChart usage={usage} measure={measure} onChoose={lead} />
    </Card>
  );
}
