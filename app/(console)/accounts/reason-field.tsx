import { TextInput, type TextInputProps } from "@mantine/core";
import { useTranslations } from "use-intl";

/** Why money is given or taken, as the statement tells it. */
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
