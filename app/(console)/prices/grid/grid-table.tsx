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
import { type GridDraft, inFull, marginOf, rowKey, textOf } from "./grid-draft";
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
          {...(cost && { color: "gray" })}
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

/** The model's name, which only the first of its prices shows in a table. */
function ModelCell({ row: { modelId, isEnabled, ownedBy }, isFirst }: { row: GridRow; isFirst: boolean }) {
  const t = useTranslations("prices");
  return isFirst ? (
    <TwoLines
      maw={280}
      below={isEnabled ? t("byOwner", { owner: ownedBy }) : t("gridOff", { owner: ownedBy })}
    >
      <Anchor component={Link} href={addresses.price(modelId)} size="sm" className="wrap-anywhere">
        {modelId}
      </Anchor>
    </TwoLines>
  ) : (
    <span className="again">{modelId}</span>
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

/** The first price of each model. */
const firstOf = (rows: readonly GridRow[]): ReadonlySet<string> => {
  const models = new Map(rows.toReversed().map((row) => [row.modelId, rowKey(row)]));
  return new Set(models.values());
};

function useColumns({ rows, draft, charged, chosen, onType, onChoose, onCost }: Props): Column<GridRow>[] {
  const t = useTranslations("prices");
  const { currency } = useInstallation();
  const nameOf = usePriceName();
  const first = firstOf(rows);
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
      cell: (row) => <ModelCell row={row} isFirst={first.has(rowKey(row))} />,
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
            isChanged={text !== textOf(new Map(), row)}
            follows={text === "" && followed !== null && !row.isFree ? inFull(formatMoney(followed)) : ""}
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

export function GridTable(props: Props) {
  const t = useTranslations("prices");
  return <DataTable label={t("gridTitle")} columns={useColumns(props)} rows={props.rows} rowId={rowKey} />;
}
