import { useTranslations } from "use-intl";
import { displayedAvailable } from "../_components/charts/available-amount";
import { QuotaBar, type QuotaMonth } from "../_components/charts/quota-bar";
import type { Column } from "../_components/tables/data-table";
import { ShortMoney } from "../_components/text/money";

const figures = ["quota", "topups", "refunds", "used", "frozen", "available"] as const;
type Figure = (typeof figures)[number];

/** The columns that fit a card; an account's page has all. */
const shownOnPhone = new Set<Figure>(["used", "available"]);

/** The windows that have room for a figure; every window has room for the others. */
const rooms: Partial<Record<Figure, "medium" | "wide">> = {
  ...{ quota: "medium", topups: "wide", refunds: "wide", frozen: "wide" },
};

/** A month in figures. */
export function useMonthFigures<Row>(monthOf: (row: Row) => QuotaMonth): Column<Row>[] {
  const t = useTranslations("accounts");
  const amountOf = (row: Row, figure: Figure) => monthOf(row)[figure] ?? "0";
  return figures.map((figure) => ({
    id: figure,
    header: t(figure),
    isFigure: true,
    value: (row) => Number(amountOf(row, figure)),
    onPhone: shownOnPhone.has(figure) ? undefined : "hidden",
    ...(rooms[figure] && { from: rooms[figure] }),
    cell: (row) => {
      const exact = amountOf(row, figure);
      const value = figure === "available" ? displayedAvailable(monthOf(row)) : exact;
      return <ShortMoney {...{ value, exact }} decimals={2} />;
    },
  }));
}

/** A month as a bar and in figures. */
export function useMonthColumns<Row>(monthOf: (row: Row) => QuotaMonth): Column<Row>[] {
  const t = useTranslations("accounts");
  return [
    { id: "bar", header: t("month"), onPhone: "line", cell: (row) => <QuotaBar month={monthOf(row)} /> },
    ...useMonthFigures(monthOf),
  ];
}
