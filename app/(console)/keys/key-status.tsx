import { IconCircleCheck, IconCircleOff, IconClockX, IconCoinOff, IconReceiptOff } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { StatusBadge } from "../_components/tables/status-badge";
import { useNow } from "../_components/text/use-now";
import { type KeyRow, stateOf } from "./key";

const badges = {
  active: { tone: "good", icon: IconCircleCheck },
  disabled: { tone: "quiet", icon: IconCircleOff },
  expired: { tone: "warn", icon: IconClockX },
  refused: { tone: "warn", icon: IconReceiptOff },
  overCap: { tone: "warn", icon: IconCoinOff },
} as const;

/**
 * A key's state. An active key over its cap is shown as such, as is one whose last call exceeded the available money.
 */
export function KeyStatus({
  entry,
}: {
  entry: Pick<KeyRow, "status" | "expiresAt"> & { isOverCap?: boolean; isRefused?: boolean };
}) {
  const t = useTranslations("keys");
  const baseState = stateOf(entry, useNow());
  const limited = (entry.isOverCap && "overCap") || (entry.isRefused && "refused") || "active";
  const state = baseState === "active" ? limited : baseState;
  return (
    <StatusBadge {...badges[state]} iconSize={14}>
      {t(state)}
    </StatusBadge>
  );
}
