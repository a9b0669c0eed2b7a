import { IconCircleCheck, IconCircleOff, IconClockX, IconCoinOff } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { StatusBadge } from "../_components/status-badge";
import { useNow } from "../_components/use-now";
import { type KeyRow, stateOf } from "./key";

const badges = {
  active: { tone: "good", icon: IconCircleCheck },
  disabled: { tone: "quiet", icon: IconCircleOff },
  expired: { tone: "warn", icon: IconClockX },
  overCap: { tone: "warn", icon: IconCoinOff },
} as const;

/** One that may call, but for its cap, says so. */
export function KeyStatus({
  entry,
}: {
  entry: Pick<KeyRow, "status" | "expiresAt"> & { isOverCap?: boolean };
}) {
  const t = useTranslations("keys");
  const known = stateOf(entry, useNow());
  const state = known === "active" && entry.isOverCap ? "overCap" : known;
  return (
    <StatusBadge {...badges[state]} iconSize={14}>
      {t(state)}
    </StatusBadge>
  );
}
