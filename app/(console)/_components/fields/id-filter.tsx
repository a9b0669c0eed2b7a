import { TextInput, type TextInputProps } from "@mantine/core";

type Props = Pick<TextInputProps, "label" | "placeholder" | "w"> & {
  value: string | null;
  onChange: (value: string | null) => void;
};

/** Users paste identifiers or follow a link with one. So the filter applies when the field is left or on Enter. */
export function IdFilter({ value, onChange, ...look }: Props) {
  const apply = (text: string) => onChange(text.trim() || null);
  return (
    <TextInput
      {...look}
      key={value}
      maxLength={200}
      defaultValue={value ?? ""}
      onBlur={({ currentTarget }) => apply(currentTarget.value)}
      onKeyDown={({ key, currentTarget }) => key === "Enter" && apply(currentTarget.value)}
    />
  );
}
