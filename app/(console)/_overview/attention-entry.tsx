import { Button, Group, List, Stack } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";
import type { Permission } from "@/server/domain/enums";
import { Permitted } from "../_components/shell/viewer";

/** A warning: what it is about, its text, and the one thing to do. */
export function Entry({ children, action }: { children: ReactNode; action: ReactNode }) {
  return (
    <List.Item
      styles={{
        itemWrapper: { width: "100%", alignItems: "flex-start" },
        itemLabel: { flex: 1, minWidth: 0 },
      }}
    >
      <Group justify="space-between" gap="xs" align="flex-start">
        <Stack gap={2} className="grow">
          {children}
        </Stack>
        {action}
      </Group>
    </List.Item>
  );
}

export const buttonProps = { size: "compact-sm", variant: "default" } as const;

/** A button that leads to the page where the warning is settled. */
export function ActionLink({
  permission,
  href,
  children,
}: {
  permission: Permission;
  href: string;
  children: ReactNode;
}) {
  return (
    <Permitted to={permission}>
      <Button component={Link} href={href} {...buttonProps}>
        {children}
      </Button>
    </Permitted>
  );
}
