import { Badge } from "@mantine/core";
import type { IconProps } from "@tabler/icons-react";
import type { ComponentType, ReactNode } from "react";

type Tone = "good" | "bad" | "warn" | "busy" | "quiet";

const colors: Record<Tone, string> = {
  good: "green",
  bad: "red",
  warn: "orange",
  busy: "blue",
  quiet: "gray",
};

/** The colour and icon of a state. */
export type StatusLook = { tone: Tone; icon: ComponentType<IconProps>; iconSize?: number };

/** A state in words, with an icon and a colour in addition, never instead. */
export function StatusBadge({
  tone,
  icon: Icon,
  iconSize = 12,
  children,
}: StatusLook & { children: ReactNode }) {
  return (
    <Badge
      variant="light"
      color={colors[tone]}
      leftSection={<Icon size={iconSize} style={{ display: "block" }} aria-hidden />}
      className="status-badge"
    >
      {children}
    </Badge>
  );
}
