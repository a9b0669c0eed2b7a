import type { ColumnDef } from "@tanstack/react-table";
import { useFormatter, useTranslations } from "use-intl";
import { Card } from "../_components/card";
import { DataTable } from "../_components/data-table";
import { Money } from "../_components/money";
import type { ModelSpend } from "./billing";

function useColumns(): ColumnDef<ModelSpend, unknown>[] {
  const t = useTranslations("billing");
  const format = useFormatter();
  const figure = (id: "calls" | "inputTokens" | "outputTokens"): ColumnDef<ModelSpend, unknown> => ({
    id,
    header: t(id),
    meta: { isFigure: true },
    cell: ({ row }) => format.number(row.original[id]),
  });
  return [
    {
      id: "model",
      header: t("model"),
      meta: { isRowHeader: true },
      cell: ({ row }) => <span className="wrap-anywhere">{row.original.modelId || t("noModel")}</span>,
    },
    figure("calls"),
    figure("inputTokens"),
    figure("outputTokens"),
    {
      id: "amount",
      header: t("amount"),
      meta: { isFigure: true },
      cell: ({ row }) => <Money value={row.original.amount} />,
    },
  ];
}

/** What a month was charged for, the dearest model first. */
export function ModelTable({ models }: { models: ModelSpend[] }) {
  const t = useTranslations("billing");
  const columns = useColumns();
  return (
    <Card title={t("byModel")}>
      <DataTable label={t("byModel")} columns={columns} rows={models} rowId={({ modelId }) => modelId} />
    </Card>
  );
}
