import { TextInput } from "@mantine/core";
import type { useForm } from "@mantine/form";
import { useTranslations } from "use-intl";
import { limitNames } from "./limit-names";

/** What an operator allows all keys of an account together. */
export function LimitFields({ form }: { form: Pick<ReturnType<typeof useForm>, "getInputProps"> }) {
  const t = useTranslations("accounts");
  return limitNames.map((name) => (
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
  ));
}
