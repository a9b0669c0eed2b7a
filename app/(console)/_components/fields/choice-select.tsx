import { NativeSelect, type NativeSelectProps } from "@mantine/core";

type Props<Choice extends string> = Omit<NativeSelectProps, "data" | "value" | "onChange"> & {
  choices: readonly Choice[];
  /** The name of a choice. */
  nameOf: (choice: Choice) => string;
  /** The name of null; absent if a choice is required. */
  any?: string;
  value: Choice | null;
  onChange: (choice: Choice | null) => void;
};

/** One of a few known values, or none of them. */
export function ChoiceSelect<Choice extends string>(props: Props<Choice>) {
  const { choices, nameOf, any, value, onChange, ...look } = props;
  const named = choices.map((choice) => ({ value: choice as string, label: nameOf(choice) }));
  return (
    <NativeSelect
      {...look}
      className={any !== undefined && value === null ? "any-choice" : undefined}
      data={any === undefined ? named : [{ value: "", label: any }, ...named]}
      value={value ?? ""}
      onChange={({ currentTarget }) =>
        onChange(choices.find((choice) => choice === currentTarget.value) ?? null)
      }
    />
  );
}
