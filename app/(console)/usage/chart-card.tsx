import { Group, SegmentedControl } from "@mantine/core";
import { useRouter } from "next/navigation";
import { useQueryStates } from "nuqs";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { measures, spendViews } from "../_components/charts/spend-series";
import { PointsTable } from "./points-table";
import { UnusualDayNote } from "./unusual-day";
import { UsageChart } from "./usage-chart";
import {
  callsOf,
  daysOfMonth,
  hourAt,
  type UsageFigures,
  type UsageParameters,
  type UsageSide,
  usageOf,
  usageParsers,
} from "./usage-filter";

type Props = { side: UsageSide; usage: UsageFigures; parameters: UsageParameters };

/** The measure, and whether a chart or a table shows it. */
function Choices({ measure, view }: Pick<UsageParameters, "measure" | "view">) {
  const overview = useTranslations("overview");
  const [, setShown] = useQueryStates({ measure: usageParsers.measure, view: usageParsers.view });
  return (
    <Group gap="xs">
      {view === "chart" && (
        <SegmentedControl
          size="xs"
          aria-label={overview("measure")}
          value={measure}
          onChange={(chosen) => void setShown({ measure: chosen })}
          data={measures.map((value) => ({ value, label: overview(`measures.${value}`) }))}
        />
      )}
      <SegmentedControl
        size="xs"
        aria-label={overview("view")}
        value={view}
        onChange={(chosen) => void setShown({ view: chosen })}
        data={spendViews.map((value) => ({ value, label: overview(`views.${value}`) }))}
      />
    </Group>
  );
}

/** A span over time. Columns lead on: hours to their calls, a day to its hours, more days and months to their days. */
export function ChartCard({ side, usage, parameters }: Props) {
  const t = useTranslations("usage");
  const router = useRouter();
  const { account, measure, view } = parameters;
  const { by, chart } = usage;
  const hrefOf = (first: string, last: string) => {
    if (chart.unit === "hour") {
      const within = { from: hourAt(first).from, until: hourAt(last).until };
      return callsOf({ side, by, account }, null, within);
    }
    const days =
      chart.unit === "day"
        ? { from: first, to: last }
        : { from: daysOfMonth(first).from, to: daysOfMonth(last).to };
    return usageOf(side, days, { by, account, measure, view });
  };
  return (
    <Card
      title={t("overTime")}
      text={t(`columns.${chart.unit}`, { isDrawn: String(view === "chart") })}
      aside={<Choices measure={measure} view={view} />}
    >
      <UnusualDayNote side={side} account={account} span={parameters} />
      {view === "table" ? (
        <PointsTable usage={usage} hrefOf={(point) => hrefOf(point, point)} />
      ) : (
        <UsageChart
          usage={usage}
          measure={measure}
          onChoose={(first, last) => router.push(hrefOf(first, last))}
        />
      )}
    </Card>
  );
}
