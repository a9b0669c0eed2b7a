import { Select } from "@mantine/core";
import { IconBolt } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { EmptyState } from "../_components/tables/empty-state";
import { useAmount } from "../_components/text/use-amount";
import type { Model } from "../models/model";
import type { ModelChoice } from "./use-model-choice";

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

/** Shown in a tab without a model to call. */
export function NoModel() {
  const t = useTranslations("playground");
  return <EmptyState icon={<IconBolt size={32} />} title={t("noModelTitle")} text={t("noModelText")} />;
}
