import { Group, SegmentedControl, Text } from "@mantine/core";
import { parseAsStringLiteral, useQueryStates } from "nuqs";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { dayOf } from "@/server/domain/days";
import { Card } from "../cards/card";
import { useInstallation } from "../text/installation";
import { useNow } from "../text/use-now";
import { SpendChart } from "./spend-chart";
import {
  daysOfMonth,
  type HrefOfDays,
  lastDays,
  type Measure,
  measures,
  type SpendDay,
  seriesOf,
  spendViews,
} from "./spend-series";
import { SpendTable } from "./spend-table";

const MOST_MODELS = 6;

type Props = {
  /** A billing month. Absent: the last 30 days. */
  period?: string;
  spend: SpendDay[];
  hrefOf: HrefOfDays;
  /** Above the chart. */
  note?: ReactNode;
};

function Chart({ period, spend, measure, hrefOf }: Omit<Props, "note"> & { measure: Measure }) {
  const { billingTimeZone } = useInstallation();
  const today = dayOf(useNow(), billingTimeZone);
  const days = period === undefined ? lastDays(today) : daysOfMonth(period);
  const series = seriesOf(spend, { measure, days, maxModels: MOST_MODELS });
  return <SpendChart {...{ measure, series, hrefOf }} />;
}

/** Charges by day and model: drawn, or as a table of the same figures. */
export function SpendByDay({ period, spend, hrefOf, note }: Props) {
  const t = useTranslations("overview");
  const { billingTimeZone } = useInstallation();
  const [{ measure, view }, setShown] = useQueryStates({
    measure: parseAsStringLiteral(measures).withDefault("cost"),
    view: parseAsStringLiteral(spendViews).withDefault("chart"),
  });
  const choices = spend.length > 0 && (
    <Group gap="xs">
      {view === "chart" && (
        <SegmentedControl
          size="xs"
          aria-label={t("measure")}
          value={measure}
          onChange={(chosen) => void setShown({ measure: chosen })}
          data={measures.map((value) => ({ value, label: t(`measures.${value}`) }))}
        />
      )}
      <SegmentedControl
        size="xs"
        aria-label={t("view")}
        value={view}
        onChange={(chosen) => void setShown({ view: chosen })}
        data={spendViews.map((value) => ({ value, label: t(`views.${value}`) }))}
      />
    </Group>
  );
  return (
    <Card
      title={t("spendTitle")}
      text={t(period === undefined ? "lastDays" : "zone", {
        zone: billingTimeZone,
        isDrawn: String(view === "chart" && spend.length > 0),
      })}
      aside={choices}
    >
      {note}
      {spend.length === 0 && <Text size="sm">{t("spendEmpty")}</Text>}
      {spend.length > 0 &&
        (view === "table" ? (
          <SpendTable spend={spend} hrefOf={hrefOf} />
        ) : (
          <Chart {...(period !== undefined && { period })} {...{ spend, hrefOf, measure }} />
        ))}
    </Card>
  );
}
