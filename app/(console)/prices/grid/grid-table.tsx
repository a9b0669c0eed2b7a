import { Checkbox, TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { type Column, DataTable } from "../../_components/data-table";
import { TwoLines } from "../../_components/two-lines";
import type { CatalogModel } from "../catalog";
import { type PriceField, priceProblem } from "../model-draft";
import { type GridDraft, gridFields, hasField, textOf, withText } from "./grid-draft";

type Props = {
  models: CatalogModel[];
  draft: GridDraft;
  onChange: (draft: GridDraft) => void;
  chosen: ReadonlySet<string>;
  onChoose: (id: string, isChosen: boolean) => void;
};

function PriceInput({
  model,
  field,
  draft,
  onChange,
}: Omit<Props, "models"> & { model: CatalogModel; field: PriceField }) {
  const t = useTranslations("prices");
  if (!hasField(model, field)) {
    return <span aria-hidden>—</span>;
  }
  const text = textOf(draft, model, field);
  const problem = priceProblem(text);
  const isEdited = draft[model.id]?.[field] !== undefined && text !== (model[field] ?? "");
  return (
    <TextInput
      size="xs"
      w={104}
      ml="auto"
      styles={{ input: { textAlign: "end", ...(isEdited && { fontWeight: 700 }) } }}
      inputMode="decimal"
      autoComplete="off"
      maxLength={30}
      aria-label={t("gridCell", { name: model.id, price: t(field) })}
      value={text}
      error={problem && t(`problems.${problem}`)}
      onChange={({ currentTarget }) => onChange(withText(draft, model, [field, currentTarget.value]))}
    />
  );
}

function useColumns(props: Omit<Props, "models">): Column<CatalogModel>[] {
  const t = useTranslations("prices");
  return [
    {
      id: "choose",
      header: t("importChoose"),
      cell: ({ id }) => (
        <Checkbox
          aria-label={t("importChooseModel", { name: id })}
          checked={props.chosen.has(id)}
          onChange={({ currentTarget }) => props.onChoose(id, currentTarget.checked)}
        />
      ),
    },
    {
      id: "model",
      header: t("model"),
      isRowHeader: true,
      cell: ({ id, ownedBy }) => (
        <TwoLines maw={260} below={t("byOwner", { owner: ownedBy })}>
          {id}
        </TwoLines>
      ),
    },
    ...gridFields.map(
      (field): Column<CatalogModel> => ({
        id: field,
        header: t(field),
        isFigure: true,
        cell: (model) => <PriceInput {...props} model={model} field={field} />,
      }),
    ),
  ];
}

export function GridTable({ models, ...props }: Props) {
  const t = useTranslations("prices");
  return (
    <DataTable label={t("gridTitle")} columns={useColumns(props)} rows={models} rowId={({ id }) => id} />
  );
}
