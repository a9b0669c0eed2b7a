import type { ColumnDef } from "@tanstack/react-table";
import { useFormatter, useTranslations } from "use-intl";
import { DataTable } from "./data-table";
import { Money } from "./money";
import type { SpendDay } from "./spend-series";

/** What the chart shows, exactly. */
export function SpendTable({ spend }: { spend: SpendDay[] }) {
  const t = useTranslations("overview");
  const format = useFormatter();
  const figure = (id: "calls" | "inputTokens" | "outputTokens"): ColumnDef<SpendDay, unknown> => ({
    id,
    header: t(id),
    meta: { isFigure: true },
    cell: ({ row }) => format.number(row.original[id]),
  });
  const columns: ColumnDef<SpendDay, unknown>[] = [
    { id: "day", header: t("day"), meta: { isRowHeader: true }, cell: ({ row }) => row.original.day },
    {
      id: "model",
      header: t("model"),
      cell: ({ row }) => <span className="wrap-anywhere">{row.original.modelId || t("noModelName")}</span>,
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
  return (
    <DataTable
      label={t("spendTitle")}
      columns={columns}
      rows={spend}
      rowId={({ day, modelId }) => `${day} ${modelId}`}
    />
  );
}
