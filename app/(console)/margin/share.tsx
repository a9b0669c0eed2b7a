import { Text } from "@mantine/core";
import { useFormatter } from "use-intl";
import { withMinus } from "../_components/text/amount";

/** A share of the charges; a loss stands out, not by its colour alone. */
export function Share({ value }: { value: number | null }) {
  const format = useFormatter();
  if (value === null) {
    return "—";
  }
  const text = format.number(value, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return (
    <Text span inherit {...(value < 0 && { c: "var(--mantine-color-error)", fw: 650 })}>
      {withMinus(text)}
    </Text>
  );
}
