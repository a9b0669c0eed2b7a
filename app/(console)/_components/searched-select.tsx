import { Select, type SelectProps } from "@mantine/core";

type Props = Omit<SelectProps, "data"> & {
  value: string | null;
  /** Names by identifier. One that is chosen and has no name is offered as it is. */
  names: ReadonlyMap<string, string>;
};

/** One of many things, found by a part of its name. */
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
