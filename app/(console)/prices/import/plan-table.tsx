import { Checkbox } from "@mantine/core";
import { useTranslations } from "use-intl";
import { tokenPriceFields } from "@/server/pricing";
import { ChangeFields } from "../../_components/shell/viewer";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { TwoLines } from "../../_components/tables/two-lines";
import { Money } from "../../_components/text/money";
import { useAmount } from "../../_components/text/use-amount";
import type { PricePlan } from "../catalog";
import { usePriceName } from "../use-price-name";

type PlanRow = PricePlan["changed"][number];
type TokenPriceField = Exclude<keyof PlanRow["after"], "conditionalPrices">;
type Props = {
  changed: PlanRow[];
  left: ReadonlySet<string>;
  onLeave: (id: string, isLeft: boolean) => void;
};

/** The new price above the current one; null: the input price. */
function Cell({ row, field }: { row: PlanRow; field: TokenPriceField }) {
  const t = useTranslations("prices");
  const amount = useAmount();
  const { before, after } = { before: row.before[field], after: row.after[field] };
  if (after === null) {
    return <span aria-hidden>—</span>;
  }
  const old = before === after ? null : t("importOld", { price: before === null ? "—" : amount(before) });
  return (
    <TwoLines align="flex-end" below={old}>
      <Money value={after} />
    </TwoLines>
  );
}

/** The new prices with conditions, one per line. */
function Conditional({ row }: { row: PlanRow }) {
  const amount = useAmount();
  const nameOf = usePriceName();
  return row.after.conditionalPrices.map(({ name, price }) => (
    <div key={name}>
      {nameOf(name)}: {amount(price)}
    </div>
  ));
}

function useColumns({ left, onLeave }: Omit<Props, "changed">): Column<PlanRow>[] {
  const t = useTranslations("prices");
  const price = (id: TokenPriceField, header: string): Column<PlanRow> => ({
    id,
    header,
    isFigure: true,
    cell: (row) => <Cell row={row} field={id} />,
  });
  return [
    {
      id: "choose",
      header: t("importChoose"),
      cell: ({ id }) => (
        <ChangeFields to="prices.write">
          <Checkbox
            aria-label={t("importChooseModel", { name: id })}
            checked={!left.has(id)}
            onChange={({ currentTarget }) => onLeave(id, !currentTarget.checked)}
          />
        </ChangeFields>
      ),
    },
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      cell: ({ id, isNew }) => <TwoLines below={isNew && t("importNew")}>{id}</TwoLines>,
    },
    ...tokenPriceFields.map((field) => price(field, t(field))),
    { id: "conditional", header: t("conditionalPrices"), cell: (row) => <Conditional row={row} /> },
  ];
}

export function PlanTable({ changed, left, onLeave }: Props) {
  const t = useTranslations("prices");
  return (
    <DataTable
      label={t("importModels")}
      columns={useColumns({ left, onLeave })}
      rows={changed}
      rowId={({ id }) => id}
    />
  );
}
