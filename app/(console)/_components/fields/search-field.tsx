import { TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";

/** The longest text that lists search for. */
const MAX_SEARCH = 100;

/** Searches the list below it while the user types. */
export function SearchField(props: {
  label: string;
  value: string;
  width?: number;
  onChange: (text: string) => void;
}) {
  const { label, value, width = 420, onChange } = props;
  return (
    <TextInput
      type="search"
      flex="1 1 16rem"
      maw={width}
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      maxLength={MAX_SEARCH}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}
