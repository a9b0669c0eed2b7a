import { useTranslations } from "use-intl";
import type { Column } from "../_components/data-table";
import { ShortMoney } from "../_components/money";
import { type Month, QuotaBar } from "../_components/quota-bar";

const figures = ["quota", "topups", "used", "frozen", "available"] as const;

/** A month as a bar and in figures. */
export function useMonthColumns<Row>(monthOf: (row: Row) => Month): Column<Row>[] {
  const t = useTranslations("accounts");
  return [
    { id: "bar", header: t("month"), cell: (row) => <QuotaBar month={monthOf(row)} /> },
    ...figures.map((figure) => ({
      id: figure,
      header: t(figure),
      isFigure: true,
      cell: (row: Row) => <ShortMoney value={monthOf(row)[figure]} />,
    })),
  ];
}
