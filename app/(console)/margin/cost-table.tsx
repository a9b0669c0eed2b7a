import { Anchor, Badge, Group } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { LinkFor } from "../_components/cards/link-for";
import { type Column, DataTable } from "../_components/tables/data-table";
import { useAmount } from "../_components/text/use-amount";
import { usePriceName } from "../prices/use-price-name";
import type { CostRow } from "./margin-filter";

/** The cost prices of each model at each channel; a price below cost is marked. */
export function CostTable({ rows }: { rows: CostRow[] }) {
  const t = useTranslations("margin");
  const amount = useAmount();
  const priceName = usePriceName();
  const columns: Column<CostRow>[] = [
    {
      id: "model",
      header: t("groups.model"),
      isRowHeader: true,
      cell: ({ modelId }) => (
        <Anchor component={Link} href={addresses.price(modelId)} size="sm" className="wrap-anywhere">
          {modelId}
        </Anchor>
      ),
    },
    {
      id: "channel",
      header: t("groups.channel"),
      cell: ({ channelId, channel }) => (
        <LinkFor to="channels.read" href={addresses.channel(channelId)} size="sm" className="wrap-anywhere">
          {channel}
        </LinkFor>
      ),
    },
    {
      id: "prices",
      header: t("costPrices"),
      cell: ({ prices }) => (
        <Group gap="0 md">
          {prices.map(({ name, price }) => (
            <span key={name} className="money">
              {priceName(name)} {amount(price)}
            </span>
          ))}
        </Group>
      ),
    },
    {
      id: "below",
      header: t("below"),
      cell: ({ below }) =>
        below.length === 0 ? (
          t("belowNone")
        ) : (
          <Group gap={4}>
            {below.map((name) => (
              <Badge key={name} color="red" variant="light" tt="none">
                {priceName(name)}
              </Badge>
            ))}
          </Group>
        ),
    },
  ];
  return (
    <DataTable
      label={t("costPrices")}
      columns={columns}
      rows={rows}
      rowId={({ channelId, modelId }) => `${channelId} ${modelId}`}
    />
  );
}
