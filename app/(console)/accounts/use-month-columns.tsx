import { useTranslations } from "use-intl";
import { QuotaBar, type QuotaMonth } from "../_components/charts/quota-bar";
import type { Column } from "../_components/tables/data-table";
import { ShortMoney } from "../_components/text/money";

const figures = ["quota", "topups", "used", "frozen", "available"] as const;

/** The columns that fit a card; an account's page has all. */
const shownOnPhone = new Set<keyof QuotaMonth>(["used", "available"]);

/** A month in figures. */
export function useMonthFigures<Row>(monthOf: (row: Row) => QuotaMonth): Column<Row>[] {
  const t = useTranslations("accounts");
  return figures.map((figure) => ({
    id: figure,
    header: t(figure),
    isFigure: true,
    value: (row) => Number(monthOf(row)[figure]),
    onPhone: shownOnPhone.has(figure) ? undefined : "hidden",
    cell: (row) => <ShortMoney value={monthOf(row)[figure]} />,
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
