import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../_components/cards/card";
import { useTRPC } from "../_components/data/trpc";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Timestamp } from "../_components/text/timestamp";
import type { ScheduledPrice } from "./catalog";
import { PriceWords } from "./price-words";

function useColumns(): Column<ScheduledPrice>[] {
  const t = useTranslations("prices");
  return [
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      cell: ({ modelId }) => (
        <Anchor component={Link} href={addresses.price(modelId)} size="sm" fw={600} className="wrap-anywhere">
          {modelId}
        </Anchor>
      ),
    },
    { id: "from", header: t("historyFrom"), cell: ({ beginsAt }) => <Timestamp at={beginsAt} exact /> },
    { id: "prices", header: t("historyPrices"), cell: (price) => <PriceWords {...price} /> },
  ];
}

/** Scheduled prices. Renders nothing if there are none. */
export function ScheduledPrices() {
  const t = useTranslations("prices");
  const { data } = useQuery(useTRPC().prices.scheduled.queryOptions());
  const columns = useColumns();
  return (
    data !== undefined &&
    data.length > 0 && (
      <Card title={t("scheduledTitle")}>
        <DataTable
          label={t("scheduledTitle")}
          columns={columns}
          rows={data}
          rowId={({ modelId, beginsAt }) => `${beginsAt} ${modelId}`}
        />
      </Card>
    )
  );
}
