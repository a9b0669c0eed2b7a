import Link from "next/link";
import { useTranslations } from "use-intl";
import { type Column, DataTable } from "../tables/data-table";
import type { HrefOfDays, SpendDay } from "./spend-series";
import { useSpendColumns } from "./use-spend-columns";

/** The chart's figures as a table, exactly. */
export function SpendTable({ spend, hrefOf }: { spend: SpendDay[]; hrefOf: HrefOfDays }) {
  const t = useTranslations("overview");
  const columns: Column<SpendDay>[] = [
    {
      id: "day",
      header: t("day"),
      isRowHeader: true,
      cell: ({ day }) => <Link href={hrefOf({ from: day, to: day })}>{day}</Link>,
    },
    {
      id: "model",
      header: t("model"),
      cell: (spent) => <span className="wrap-anywhere">{spent.modelId || t("noModelName")}</span>,
    },
    ...useSpendColumns<SpendDay>((column) => t(column)),
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
