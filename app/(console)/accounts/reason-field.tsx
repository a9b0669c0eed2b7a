import { TextInput, type TextInputProps } from "@mantine/core";
import { useTranslations } from "use-intl";

/** The reason for a credit or debit, which the statement shows. */
export function ReasonField(props: TextInputProps) {
  const t = useTranslations("accounts");
  return (
    <TextInput
      label={t("reason")}
      description={t("topUpReasonHint")}
      maxLength={300}
      autoComplete="off"
      {...props}
    />
  );
}
