import { Badge } from "@mantine/core";
import type { ReactNode } from "react";

export type Tone = "good" | "bad" | "warn" | "busy" | "quiet";

const colors: Record<Tone, string> = {
  good: "green",
  bad: "red",
  warn: "orange",
  busy: "blue",
  quiet: "gray",
};

/** A state in words, with an icon and a colour beside them and never instead. */
export function StatusBadge({ tone, icon, children }: { tone: Tone; icon?: ReactNode; children: ReactNode }) {
  return (
    <Badge
      variant="light"
      color={colors[tone]}
      leftSection={
        icon && (
          <span aria-hidden style={{ display: "flex" }}>
            {icon}
          </span>
        )
      }
      className="status-badge"
    >
      {children}
    </Badge>
  );
}
