import { Anchor, Button, Checkbox, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import Link from "next/link";
import { useFormatter, useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { formatMoney, type Nanos } from "@/server/base/money";
import { useMay } from "../../_components/shell/viewer";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { StatusBadge } from "../../_components/tables/status-badge";
import { TwoLines } from "../../_components/tables/two-lines";
import { withMinus } from "../../_components/text/amount";
import { useInstallation } from "../../_components/text/installation";
import { Money } from "../../_components/text/money";
import type { GridRow } from "../catalog";
import { usePriceName } from "../use-price-name";
import { type GridDraft, marginOf, rowKey, textOf } from "./grid-draft";
import { ListMoney } from "./list-money";
import { PriceField } from "./price-field";

type Props = {
  rows: GridRow[];
  draft: GridDraft;
  charged: (row: GridRow) => Nanos | null;
  chosen: ReadonlySet<string>;
  onType: (id: string, text: string) => void;
  onChoose: (id: string, isChosen: boolean) => void;
  /** Opens the costs of a model. */
  onCost: (modelId: string) => void;
};

const None = () => <span aria-hidden>—</span>;

/** A badge for a price below cost. */
export function BelowCost() {
  const t = useTranslations("prices");
  return (
    <StatusBadge tone="bad" icon={IconAlertTriangle} iconSize={14}>
      {t("belowCost")}
    </StatusBadge>
  );
}

/** The highest cost of a price, and the way to enter it. */
function CostCell({ row, onCost }: { row: GridRow; onCost: (modelId: string) => void }) {
  const t = useTranslations("prices");
  const nameOf = usePriceName();
  const { cost, modelId, name } = row;
  const mayWrite = useMay("prices.write");
  const seesChannels = useMay("channels.read");
  const mayEnter = mayWrite && seesChannels;
  const costText = cost ? <Money value={cost.price} /> : <None />;
  return (
    <TwoLines align="flex-end" below={cost?.channel}>
      {mayEnter ? (
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          fw={400}
          px={4}
          mr={-4}
          onClick={() => onCost(modelId)}
        >
          {cost ? costText : t("gridCostEnter")}
          <VisuallyHidden>{` (${t("gridCostEdit", { name: modelId, price: nameOf(name) })})`}</VisuallyHidden>
        </Button>
      ) : (
        costText
      )}
    </TwoLines>
  );
}

function MarginCell({ row, charged }: { row: GridRow; charged: Nanos | null }) {
  const format = useFormatter();
  const margin = marginOf(row, charged);
  if (margin === null) {
    return <None />;
  }
  return (
    <Stack gap={2} align="flex-end">
      <Text span size="sm" c={margin.isBelowCost ? "red" : undefined}>
        <Money value={margin.amount} />
        {margin.share !== null &&
          ` · ${withMinus(format.number(margin.share, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }))}`}
      </Text>
      {margin.isBelowCost && <BelowCost />}
    </Stack>
  );
}

function useColumns({
  draft,
  charged,
  chosen,
  onType,
  onChoose,
  onCost,
}: Omit<Props, "rows">): Column<GridRow>[] {
  const t = useTranslations("prices");
  const { currency } = useInstallation();
  const nameOf = usePriceName();
  return [
    {
      id: "choose",
      header: null,
      cell: (row) => (
        <Checkbox
          aria-label={t("gridChoose", { name: row.modelId, price: nameOf(row.name) })}
          checked={chosen.has(rowKey(row))}
          onChange={({ currentTarget }) => onChoose(rowKey(row), currentTarget.checked)}
        />
      ),
    },
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      value: ({ modelId }) => modelId,
      cell: ({ modelId, isEnabled, ownedBy }) => (
        <TwoLines
          maw={280}
          below={isEnabled ? t("byOwner", { owner: ownedBy }) : t("gridOff", { owner: ownedBy })}
        >
          <Anchor component={Link} href={addresses.price(modelId)} size="sm" className="wrap-anywhere">
            {modelId}
          </Anchor>
        </TwoLines>
      ),
    },
    {
      id: "unit",
      header: t("gridUnit"),
      onPhone: "bare",
      value: ({ name }) => name,
      cell: ({ name }) => nameOf(name),
    },
    {
      id: "list",
      header: t("gridList"),
      isFigure: true,
      cell: ({ list }) =>
        list ? (
          <TwoLines align="flex-end" below={t("gridListDate", { vendor: list.vendor, date: list.date })}>
            <ListMoney {...list} own={currency} />
          </TwoLines>
        ) : (
          <None />
        ),
    },
    {
      id: "cost",
      header: t("gridCost"),
      isFigure: true,
      cell: (row) => <CostCell row={row} onCost={onCost} />,
    },
    {
      id: "now",
      // Until it is edited, the field of the new price has the same text.
      from: "medium",
      header: t("gridNow"),
      isFigure: true,
      cell: ({ price }) => (price === null ? <None /> : <Money value={price} />),
    },
    {
      id: "price",
      header: t("gridPrice"),
      isFigure: true,
      cell: (row) => {
        const text = textOf(draft, row);
        const followed = charged(row);
        return (
          <PriceField
            id={rowKey(row)}
            label={t("gridCell", { name: row.modelId, price: nameOf(row.name) })}
            text={text}
            isChanged={draft.has(rowKey(row)) && text !== (row.price ?? "")}
            follows={text === "" && followed !== null && !row.isFree ? formatMoney(followed) : ""}
            onType={onType}
          />
        );
      },
    },
    {
      id: "margin",
      header: t("gridMargin"),
      isFigure: true,
      cell: (row) => <MarginCell row={row} charged={charged(row)} />,
    },
  ];
}

export function GridTable({ rows, ...props }: Props) {
  const t = useTranslations("prices");
  return <DataTable label={t("gridTitle")} columns={useColumns(props)} rows={rows} rowId={rowKey} />;
}
