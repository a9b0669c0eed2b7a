import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { useSpendColumns } from "../_components/charts/use-spend-columns";
import { type Column, DataTable } from "../_components/tables/data-table";
import type { ModelSpend } from "./billing";

function useColumns(): Column<ModelSpend>[] {
  const t = useTranslations("billing");
  return [
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      cell: (model) => <span className="wrap-anywhere">{model.modelId || t("noModel")}</span>,
    },
    ...useSpendColumns<ModelSpend>((column) => t(column)),
  ];
}

/** A month's charges by model, the highest first. */
export function ModelTable({ models }: { models: ModelSpend[] }) {
  const t = useTranslations("billing");
  const columns = useColumns();
  return (
    <Card title={t("byModel")}>
      <DataTable label={t("byModel")} columns={columns} rows={models} rowId={({ modelId }) => modelId} />
    </Card>
  );
}
