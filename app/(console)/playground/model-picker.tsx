import { Select } from "@mantine/core";
import { IconBolt } from "@tabler/icons-react";
import { parseAsString, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { EmptyState } from "../_components/empty-state";
import { useAmount } from "../_components/money";
import type { Model, ModelKind } from "../models/model";

export type ModelChoice = { model: Model | null; models: Model[]; choose: (id: string) => void };

/** The model of a tab, kept in the address: the first of its kind until another is chosen. */
export function useModelChoice(all: Model[], kind: ModelKind): ModelChoice {
  const [id, setId] = useQueryState("model", parseAsString);
  const models = all.filter((model) => model.kind === kind);
  return {
    models,
    model: models.find((model) => model.id === id) ?? models[0] ?? null,
    choose: (next) => void setId(next),
  };
}

export function ModelPicker({ model, models, choose }: ModelChoice) {
  const t = useTranslations("playground");
  const amount = useAmount();
  const description = (chosen: Model) =>
    t("modelPrice", {
      kind: chosen.kind,
      input: amount(chosen.prices.input),
      output: amount(chosen.prices.output),
    });
  return (
    <Select
      label={t("model")}
      description={model && model.kind !== "video" ? description(model) : undefined}
      data={models.map(({ id }) => id)}
      value={model?.id ?? null}
      onChange={(id) => id && choose(id)}
      allowDeselect={false}
      searchable
      nothingFoundMessage={t("noModelMatches")}
    />
  );
}

/** Stands where a tab has nothing to call. */
export function NoModel() {
  const t = useTranslations("playground");
  return <EmptyState icon={<IconBolt size={32} />} title={t("noModelTitle")} text={t("noModelText")} />;
}
