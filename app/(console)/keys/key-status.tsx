import { IconCircleCheck, IconCircleOff, IconClockX } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { StatusBadge } from "../_components/status-badge";
import { useNow } from "../_components/use-now";
import { type KeyRow, stateOf } from "./key";

const badges = {
  active: { tone: "good", icon: IconCircleCheck },
  disabled: { tone: "quiet", icon: IconCircleOff },
  expired: { tone: "warn", icon: IconClockX },
} as const;

export function KeyStatus({ entry }: { entry: Pick<KeyRow, "status" | "expiresAt"> }) {
  const t = useTranslations("keys");
  const state = stateOf(entry, useNow());
  return (
    <StatusBadge {...badges[state]} iconSize={14}>
      {t(state)}
    </StatusBadge>
  );
}
