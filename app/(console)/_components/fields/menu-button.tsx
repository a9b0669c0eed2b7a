import { ActionIcon, Button } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import type { ComponentPropsWithRef, ReactNode } from "react";

export type MenuButtonLook = {
  /** Names the button. */
  label: string;
  icon: ReactNode;
  size?: "md" | "lg";
  /** Shows the name next to the icon. Use it where users do not look for a menu. */
  isNamed?: boolean;
};

/** The button that opens a menu. */
export function MenuButton(props: MenuButtonLook & ComponentPropsWithRef<"button">) {
  const { label, icon, size = "md", isNamed = false, ...others } = props;
  return isNamed ? (
    <Button
      variant="default"
      leftSection={icon}
      rightSection={<IconChevronDown size={14} aria-hidden />}
      {...others}
    >
      {label}
    </Button>
  ) : (
    <ActionIcon variant="subtle" color="gray" size={size} aria-label={label} {...others}>
      {icon}
    </ActionIcon>
  );
}
