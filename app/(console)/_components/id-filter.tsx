import { TextInput, type TextInputProps } from "@mantine/core";

type Props = Pick<TextInputProps, "label" | "placeholder" | "w"> & {
  value: string | null;
  onChange: (value: string | null) => void;
};

/** Identifiers are pasted, or come with a link: they count once they are whole. */
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
