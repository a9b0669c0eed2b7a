import { Progress, Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { ShortMoney } from "../_components/money";
import { useAmount } from "../_components/use-amount";
import type { KeyRow } from "./key";

/** From this share of its cap on, a key is about to be refused. */
const NEAR = 0.8;

function colorOf(share: number): string {
  if (share >= 1) {
    return "red";
  }
  return share >= NEAR ? "orange" : "indigo";
}

/** What a key spent this month, beside its cap if it has one. */
export function KeySpend({ entry }: { entry: Pick<KeyRow, "spent" | "monthlyCap" | "isOverCap"> }) {
  const t = useTranslations("keys");
  const amount = useAmount("short");
  const { spent, monthlyCap, isOverCap } = entry;
  if (monthlyCap === null) {
    return <ShortMoney value={spent} />;
  }
  // For drawing only: the figures are exact.
  const share = Number(monthlyCap) > 0 ? Number(spent) / Number(monthlyCap) : 1;
  return (
    <Stack gap={4} miw={110}>
      <Text size="sm" inherit className="money">
        {t("spentOfCap", { spent: amount(spent), cap: amount(monthlyCap) })}
      </Text>
      <Progress
        value={Math.min(share, 1) * 100}
        color={colorOf(share)}
        size="sm"
        aria-label={t("capBar", { share })}
      />
      {isOverCap && (
        <Text size="xs" c="red">
          {t("overCap")}
        </Text>
      )}
    </Stack>
  );
}
