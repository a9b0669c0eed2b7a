import { useFormatter, useTranslations } from "use-intl";
import { LinkFor } from "../_components/cards/link-for";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Difference } from "../_components/tables/difference";
import { ShortMoney } from "../_components/text/money";
import { type Margin, type MarginRow, marginShare, placeOf } from "./margin-filter";
import { Share } from "./share";

/** Groups by charges, the highest first; each links to its own page. */
export function MarginTable({ margin }: { margin: Margin }) {
  const t = useTranslations("margin");
  const format = useFormatter();
  const { by, rows } = margin;
  const isCompared = margin.total.before.calls > 0;
  const money = (id: "amount" | "cost" | "margin"): Column<MarginRow> => ({
    id,
    header: t(id),
    amount: (row) => row[id],
    isFigure: true,
    value: (row) => Number(row[id]),
    cell: (row) => <ShortMoney value={row[id]} />,
  });
  const comparison: Column<MarginRow>[] = [
    {
      id: "before",
      header: t("before"),
      amount: ({ before }) => before.margin,
      from: "medium",
      isFigure: true,
      cell: (row) => <ShortMoney value={row.before.margin} />,
    },
    {
      id: "difference",
      header: t("difference"),
      isFigure: true,
      cell: (row) => <Difference now={Number(row.margin)} before={Number(row.before.margin)} />,
    },
  ];
  const columns: Column<MarginRow>[] = [
    {
      id: "name",
      header: t(`groups.${by}`),
      isRowHeader: true,
      value: ({ name }) => name,
      cell: ({ id, name }) =>
        name === "" ? (
          t("gone")
        ) : (
          <LinkFor {...placeOf(by, id)} size="sm" className="wrap-anywhere">
            {name}
          </LinkFor>
        ),
    },
    money("amount"),
    money("cost"),
    money("margin"),
    {
      id: "share",
      header: t("share"),
      isFigure: true,
      value: marginShare,
      onPhone: "aside",
      cell: (row) => <Share value={marginShare(row)} />,
    },
    ...(isCompared ? comparison : []),
    {
      id: "calls",
      header: t("calls"),
      isFigure: true,
      value: ({ calls }) => calls,
      cell: (row) => format.number(row.calls),
    },
  ];
  return <DataTable label={t(`groups.${by}`)} columns={columns} rows={rows} rowId={({ id }) => `id ${id}`} />;
}
