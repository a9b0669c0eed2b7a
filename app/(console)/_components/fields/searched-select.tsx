import { Select, type SelectProps } from "@mantine/core";

type Props = Omit<SelectProps, "data"> & {
  value: string | null;
  /** Names by identifier. A chosen value without a name is offered as it is. */
  names: ReadonlyMap<string, string>;
};

/** A select whose many options are found by a part of their name. */
export function SearchedSelect({ value, names, ...look }: Props) {
  const offered = value === null || names.has(value) ? names : new Map([...names, [value, value]]);
  return (
    <Select
      {...look}
      searchable
      clearable
      data={[...offered].map(([id, name]) => ({ value: id, label: name }))}
      value={value}
    />
  );
}
