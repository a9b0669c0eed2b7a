import { useFormatter } from "use-intl";
import type { Column } from "../tables/data-table";
import { ShortMoney } from "../text/money";

type SpendSums = { calls: number; inputTokens: number; outputTokens: number; amount: string };

const counts = ["calls", "inputTokens", "outputTokens"] as const;

/** Columns of use and cost. `nameOf`: a column's header. */
export function useSpendColumns<Row extends SpendSums>(
  nameOf: (column: keyof SpendSums) => string,
): Column<Row>[] {
  const format = useFormatter();
  const figure = (id: keyof SpendSums, cell: Column<Row>["cell"]) => ({
    id,
    header: nameOf(id),
    isFigure: true,
    value: (row: Row) => Number(row[id]),
    cell,
  });
  return [
    ...counts.map((id) => figure(id, (row) => format.number(row[id]))),
    { ...figure("amount", (row) => <ShortMoney value={row.amount} />), amount: ({ amount }) => amount },
  ];
}
