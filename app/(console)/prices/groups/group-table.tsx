import { Anchor, Group, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { useMay } from "../../_components/shell/viewer";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { StatusBadge } from "../../_components/tables/status-badge";
import { TwoLines } from "../../_components/tables/two-lines";
import { GroupMenu } from "./group-menu";
import type { PriceGroup } from "./price-group";
import { useFactorWords } from "./use-factor-words";

/** Names beyond these are counted. */
const MOST_NAMES = 4;

function FactorCell({ group: { factor } }: { group: PriceGroup }) {
  const { times, share } = useFactorWords()(factor);
  return <TwoLines below={share}>{times}</TwoLines>;
}

function BelowCostCell({ group: { belowCost } }: { group: PriceGroup }) {
  const prices = useTranslations("prices");
  const common = useTranslations("common");
  if (belowCost.length === 0) {
    return <span aria-hidden>—</span>;
  }
  const rest = belowCost.length - MOST_NAMES;
  return (
    <Group gap={6}>
      <StatusBadge tone="bad" icon={IconAlertTriangle} iconSize={14}>
        {prices("oddities.belowCost")}
      </StatusBadge>
      {belowCost.slice(0, MOST_NAMES).map((id) => (
        <Anchor key={id} component={Link} href={addresses.price(id)} size="sm" className="wrap-anywhere">
          {id}
        </Anchor>
      ))}
      {rest > 0 && (
        <Text span size="sm">
          {common("more", { count: rest })}
        </Text>
      )}
    </Group>
  );
}

function useColumns(): Column<PriceGroup>[] {
  const t = useTranslations("priceGroups");
  const prices = useTranslations("prices");
  const mayChange = useMay("prices.write");
  const columns: Column<PriceGroup>[] = [
    {
      id: "name",
      header: t("name"),
      isRowHeader: true,
      value: ({ name }) => name,
      cell: ({ name }) => (
        <Text span size="sm" fw={600} className="wrap-anywhere">
          {name}
        </Text>
      ),
    },
    {
      id: "factor",
      header: t("factor"),
      value: ({ factor }) => Number(factor),
      cell: (group) => <FactorCell group={group} />,
    },
    {
      id: "models",
      header: t("ownFactors"),
      value: ({ models }) => models.length,
      cell: ({ models }) => t("modelCount", { count: models.length }),
    },
    {
      id: "accounts",
      header: t("accounts"),
      value: ({ accounts }) => accounts,
      cell: ({ id, accounts }) =>
        accounts === 0 ? (
          <span className="unbroken">{t("accountCount", { count: 0 })}</span>
        ) : (
          <Anchor component={Link} href={addresses.accounts({ group: id })} size="sm" className="unbroken">
            {t("accountCount", { count: accounts })}
          </Anchor>
        ),
    },
    { id: "notes", header: prices("notes"), cell: (group) => <BelowCostCell group={group} /> },
  ];
  if (mayChange) {
    columns.push({ id: "actions", header: null, cell: (group) => <GroupMenu group={group} /> });
  }
  return columns;
}

export function GroupTable({ rows }: { rows: PriceGroup[] }) {
  const label = useTranslations("priceGroups")("title");
  return <DataTable label={label} columns={useColumns()} rows={rows} rowId={({ id }) => id} />;
}
