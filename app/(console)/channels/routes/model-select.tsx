import { Select } from "@mantine/core";
import { useTranslations } from "use-intl";

type Props = { models: string[]; value: string; onChange: (modelId: string | null) => void };

/** A model that some channel serves. One that a link names is offered, whether any serves it or not. */
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
