import { Text } from "@mantine/core";
import { useFormatter } from "use-intl";

/** A share of what was charged; a loss stands out, and not by its colour alone. */
export function Share({ value }: { value: number | null }) {
  const format = useFormatter();
  if (value === null) {
    return "—";
  }
  const text = format.number(value, { style: "percent", maximumFractionDigits: 1 });
  return (
    <Text span size="sm" c={value < 0 ? "red.8" : undefined} fw={value < 0 ? 650 : undefined}>
      {text}
    </Text>
  );
}
