import { TextInput } from "@mantine/core";
import type { useForm } from "@mantine/form";
import { useTranslations } from "use-intl";
import { useInstallation } from "../_components/installation";
import { AmountField } from "./amount-field";
import { limitNames } from "./limit-names";

/** Fields for the limits of all keys of an account together. */
export function LimitFields({ form }: { form: Pick<ReturnType<typeof useForm>, "getInputProps"> }) {
  const t = useTranslations("accounts");
  const { currency } = useInstallation();
  return (
    <>
      {limitNames.map((name) => (
        <TextInput
          key={name}
          label={t(name)}
          description={t(`${name}Hint`)}
          placeholder={t(`${name}Unset`)}
          data-autofocus={name === limitNames[0] || undefined}
          inputMode="numeric"
          maxLength={10}
          autoComplete="off"
          {...form.getInputProps(name)}
        />
      ))}
      <AmountField
        required={false}
        label={t("dailyLimit")}
        description={t("dailyLimitHint")}
        placeholder={t("dailyLimitUnset")}
        rightSection={currency}
        rightSectionWidth={52}
        {...form.getInputProps("dailyLimit")}
      />
    </>
  );
}
