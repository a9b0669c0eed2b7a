import { Select } from "@mantine/core";
import { useTranslations } from "use-intl";

type Props = { models: string[]; value: string; onChange: (modelId: string | null) => void };

/** Chooses among the models that a channel serves. A model from a link is also offered if no channel serves it. */
export function ModelSelect({ models, value, onChange }: Props) {
  const t = useTranslations("channels");
  return (
    <Select
      label={t("routesModel")}
      placeholder={t("routesPlaceholder")}
      maw={420}
      searchable
      limit={200}
      nothingFoundMessage={t("routesNoMatch")}
      data={value === "" || models.includes(value) ? models : [value, ...models]}
      value={value || null}
      onChange={onChange}
    />
  );
}
