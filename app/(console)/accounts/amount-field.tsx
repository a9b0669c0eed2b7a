import { TextInput, type TextInputProps } from "@mantine/core";

/** An amount of money as it is typed. */
export const AmountField = (props: TextInputProps) => (
  <TextInput required inputMode="decimal" maxLength={20} autoComplete="off" {...props} />
);
