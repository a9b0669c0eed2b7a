import { useFormatter, useTranslations } from "use-intl";
import { type Column, DataTable } from "./data-table";
import { Money } from "./money";
import type { SpendDay } from "./spend-series";

/** What the chart shows, exactly. */
export function SpendTable({ spend }: { spend: SpendDay[] }) {
  const t = useTranslations("overview");
  const format = useFormatter();
  const figure = (id: "calls" | "inputTokens" | "outputTokens"): Column<SpendDay> => ({
    id,
    header: t(id),
    isFigure: true,
    cell: (spent) => format.number(spent[id]),
  });
  const columns: Column<SpendDay>[] = [
    { id: "day", header: t("day"), isRowHeader: true, cell: (spent) => spent.day },
    {
      id: "model",
      header: t("model"),
      cell: (spent) => <span className="wrap-anywhere">{spent.modelId || t("noModelName")}</span>,
    },
    figure("calls"),
    figure("inputTokens"),
    figure("outputTokens"),
    { id: "amount", header: t("amount"), isFigure: true, cell: (spent) => <Money value={spent.amount} /> },
  ];
  return (
    <DataTable
      label={t("spendTitle")}
      columns={columns}
      rows={spend}
      rowId={({ day, modelId }) => `${day} ${modelId}`}
    />
  );
}
