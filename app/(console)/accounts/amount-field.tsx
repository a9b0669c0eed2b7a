import { TextInput, type TextInputProps } from "@mantine/core";

/** A field for an amount of money. */
export const AmountField = (props: TextInputProps) => (
  <TextInput required inputMode="decimal" maxLength={20} autoComplete="off" {...props} />
);
