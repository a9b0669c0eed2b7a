import { useFormatter, useTranslations } from "use-intl";
import { Card } from "../_components/card";
import { type Column, DataTable } from "../_components/data-table";
import { Money } from "../_components/money";
import type { ModelSpend } from "./billing";

function useColumns(): Column<ModelSpend>[] {
  const t = useTranslations("billing");
  const format = useFormatter();
  const figure = (id: "calls" | "inputTokens" | "outputTokens"): Column<ModelSpend> => ({
    id,
    header: t(id),
    isFigure: true,
    cell: (model) => format.number(model[id]),
  });
  return [
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      cell: (model) => <span className="wrap-anywhere">{model.modelId || t("noModel")}</span>,
    },
    figure("calls"),
    figure("inputTokens"),
    figure("outputTokens"),
    { id: "amount", header: t("amount"), isFigure: true, cell: (model) => <Money value={model.amount} /> },
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
