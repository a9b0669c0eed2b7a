import { TextInput, type TextInputProps } from "@mantine/core";
import { useTranslations } from "use-intl";
import { useInstallation } from "../_components/text/installation";
import { AmountField } from "./amount-field";
import { limitNames } from "./limit-names";
import type { TypedLimits } from "./use-limit-faults";

type Props = { field: (name: keyof TypedLimits) => TextInputProps };

/** Fields for the limits of all keys of an account together. */
export function LimitFields({ field }: Props) {
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
          {...field(name)}
        />
      ))}
      {(["dailyLimit", "outageAllowance"] as const).map((name) => (
        <AmountField
          key={name}
          required={false}
          label={t(name)}
          description={t(`${name}Hint`)}
          placeholder={t(`${name}Unset`)}
          rightSection={currency}
          rightSectionWidth={52}
          {...field(name)}
        />
      ))}
    </>
  );
}
