import { Group, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { Money } from "../_components/text/money";
import type { DatedPrice } from "./catalog";
import { usePriceName } from "./use-price-name";

/** Prices with their names, side by side. */
export function PriceWords({ prices, isFree }: Pick<DatedPrice, "prices" | "isFree">) {
  const t = useTranslations("prices");
  const nameOf = usePriceName();
  if (prices.length === 0) {
    return t(isFree ? "freeOfCharge" : "notSold");
  }
  return (
    <Group gap="xs">
      {prices.map(({ name, price }) => (
        <Text key={name} span size="sm">
          {nameOf(name)} <Money value={price} />
        </Text>
      ))}
    </Group>
  );
}
