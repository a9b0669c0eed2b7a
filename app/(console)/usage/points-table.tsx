import { Anchor } from "@mantine/core";
import Link from "next/link";
import { useFormatter, useTranslations } from "use-intl";
import { formatMoney, nanos, parseMoney } from "@/server/base/money";
import { type Column, DataTable } from "../_components/tables/data-table";
import { ShortMoney } from "../_components/text/money";
import type { UsageFigures } from "./usage-filter";
import { usePointName } from "./use-point-name";

type PointRow = { point: string; calls: number; amount: string; tokens: number };

/** The sums of all series at each point of time with a charge. */
function pointsOf({ chart: { points, series } }: UsageFigures): PointRow[] {
  const rows = points.map((point, place) => {
    const all = series.flatMap((line) => line.points[place] ?? []);
    return {
      point,
      calls: all.reduce((sum, { calls }) => sum + calls, 0),
      tokens: all.reduce((sum, { tokens }) => sum + tokens, 0),
      amount: formatMoney(nanos(all.reduce((sum, { amount }) => sum + (parseMoney(amount) ?? 0n), 0n))),
    };
  });
  return rows.filter(({ calls }) => calls > 0);
}

/** The chart's columns as a table, each a link. */
export function PointsTable({ usage, hrefOf }: { usage: UsageFigures; hrefOf: (point: string) => string }) {
  const t = useTranslations("usage");
  const overview = useTranslations("overview");
  const format = useFormatter();
  const nameOf = usePointName(usage.chart.unit);
  const count = (id: "calls" | "tokens"): Column<PointRow> => ({
    id,
    header: id === "calls" ? t("calls") : overview("measures.tokens"),
    isFigure: true,
    value: (row) => row[id],
    cell: (row) => format.number(row[id]),
  });
  const columns: Column<PointRow>[] = [
    {
      id: "point",
      header: t(`units.${usage.chart.unit}`),
      isRowHeader: true,
      value: ({ point }) => point,
      cell: ({ point }) => (
        <Anchor component={Link} href={hrefOf(point)} size="sm">
          {nameOf(point)}
        </Anchor>
      ),
    },
    {
      id: "amount",
      header: t("amount"),
      amount: ({ amount }) => amount,
      isFigure: true,
      onPhone: "aside",
      value: ({ amount }) => Number(amount),
      cell: ({ amount }) => <ShortMoney value={amount} />,
    },
    count("calls"),
    count("tokens"),
  ];
  return (
    <DataTable label={t("overTime")} columns={columns} rows={pointsOf(usage)} rowId={({ point }) => point} />
  );
}
