import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { inferRouterOutputs } from "@trpc/server";
import { useTranslations } from "use-intl";
import type { AppRouter } from "@/server/console";
import { Card } from "../../_components/cards/card";
import { useSpendColumns } from "../../_components/charts/use-spend-columns";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { useInstallation } from "../../_components/text/installation";
import type { KeyDetail } from "../key";

type Day = inferRouterOutputs<AppRouter>["keys"]["days"][number];

function useColumns(): Column<Day>[] {
  const t = useTranslations("keys");
  return [
    { id: "day", header: t("day"), isRowHeader: true, cell: (day) => day.day },
    { id: "model", header: t("model"), cell: (day) => <span className="wrap-anywhere">{day.modelId}</span> },
    ...useSpendColumns<Day>((column) => t(column)),
  ];
}

/** The key's spend in the current month, by days of the billing zone. */
export function KeyDays({ entry }: { entry: KeyDetail }) {
  const t = useTranslations("keys");
  const { billingTimeZone } = useInstallation();
  const query = useQuery(useTRPC().keys.days.queryOptions({ keyId: entry.id }));
  const columns = useColumns();
  return (
    <Card title={t("usage")} text={t("zone", { zone: billingTimeZone })}>
      {!query.data && <QueryState query={query} />}
      {query.data?.length === 0 && <Text size="sm">{t("usageEmpty")}</Text>}
      {query.data && query.data.length > 0 && (
        <DataTable
          label={t("usage")}
          columns={columns}
          rows={query.data}
          rowId={({ day, modelId }) => `${day} ${modelId}`}
        />
      )}
    </Card>
  );
}
