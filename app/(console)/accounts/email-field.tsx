import { TextInput, type TextInputProps } from "@mantine/core";

/** The address that somebody signs in with. */
export function EmailField(props: TextInputProps) {
  return <TextInput required type="email" maxLength={254} autoComplete="off" {...props} />;
}
