import { TextInput, type TextInputProps } from "@mantine/core";

/** The e-mail address for signing in. */
export function EmailField(props: TextInputProps) {
  return <TextInput required type="email" maxLength={254} autoComplete="off" {...props} />;
}
