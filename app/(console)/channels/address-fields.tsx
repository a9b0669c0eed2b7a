import { TextInput } from "@mantine/core";
import { useTranslations } from "use-intl";
import { chosenVendorApis, type VendorApi } from "@/server/domain/enums";
import { ChoiceSelect } from "../_components/fields/choice-select";

/** Hints stand below the fields, so that neighbouring fields line up. */
export const order: ("label" | "input" | "description" | "error")[] = [
  "label",
  "input",
  "description",
  "error",
];

/** The dialect of an upstream without a preset. */
export function DialectSelect(props: { value: VendorApi; onChange: (dialect: VendorApi) => void }) {
  const t = useTranslations("channels");
  const { value, onChange } = props;
  return (
    <ChoiceSelect
      label={t("dialect")}
      choices={chosenVendorApis}
      nameOf={(dialect) => t(`dialects.${dialect}`)}
      value={value}
      onChange={(dialect) => onChange(dialect ?? value)}
    />
  );
}

type AddressProps = {
  value: string;
  hint?: string | undefined;
  error: string | false;
  onChange: (url: string) => void;
};

export function BaseUrlField({ value, hint, error, onChange }: AddressProps) {
  const t = useTranslations("channels");
  return (
    <TextInput
      label={t("baseUrl")}
      description={hint}
      required
      type="url"
      inputMode="url"
      spellCheck={false}
      maxLength={2_000}
      placeholder="https://"
      value={value}
      error={error}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
