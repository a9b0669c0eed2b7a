import { useTranslations } from "use-intl";
import { QuotaBar, type QuotaMonth } from "../_components/charts/quota-bar";
import { shownAvailable } from "../_components/charts/shown-month";
import type { Column } from "../_components/tables/data-table";
import { ShortMoney } from "../_components/text/money";

const figures = ["quota", "topups", "used", "frozen", "available"] as const;

/** The columns that fit a card; an account's page has all. */
const shownOnPhone = new Set<keyof QuotaMonth>(["used", "available"]);

/** The windows that have room for a figure; every window has room for the others. */
const rooms: Partial<Record<keyof QuotaMonth, "medium" | "wide">> = {
  ...{ quota: "medium", topups: "wide", frozen: "wide" },
};

/** A month in figures. */
export function useMonthFigures<Row>(monthOf: (row: Row) => QuotaMonth): Column<Row>[] {
  const t = useTranslations("accounts");
  return figures.map((figure) => ({
    id: figure,
    header: t(figure),
    isFigure: true,
    value: (row) => Number(monthOf(row)[figure]),
    onPhone: shownOnPhone.has(figure) ? undefined : "hidden",
    ...(rooms[figure] && { from: rooms[figure] }),
    cell: (row) => {
      const month = monthOf(row);
      const shown = figure === "available" ? shownAvailable(month) : month[figure];
      return <ShortMoney value={shown} exact={month[figure]} decimals={2} />;
    },
  }));
}

/** A month as a bar and in figures. */
export function useMonthColumns<Row>(monthOf: (row: Row) => QuotaMonth): Column<Row>[] {
  const t = useTranslations("accounts");
  return [
    { id: "bar", header: t("month"), onPhone: "bare", cell: (row) => <QuotaBar month={monthOf(row)} /> },
    ...useMonthFigures(monthOf),
  ];
}
