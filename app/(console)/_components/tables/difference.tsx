import { Text } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import { growth } from "../charts/growth";
import { withMinus } from "../text/amount";

/** The change of a figure from the previous span. */
export function Difference({ now, before }: { now: number; before: number }) {
  const t = useTranslations("usage");
  const format = useFormatter();
  const share = growth(now, before);
  if (share === null) {
    return (
      <Text span size="sm" c="dimmed">
        {now === 0 ? "—" : t("isNew")}
      </Text>
    );
  }
  const text = format.number(share, {
    style: "percent",
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
    signDisplay: "exceptZero",
  });
  return (
    <Text span size="sm">
      {withMinus(text)}
    </Text>
  );
}
