import { Button, type ButtonProps } from "@mantine/core";
import { IconAdjustmentsHorizontal } from "@tabler/icons-react";
import type { ComponentPropsWithRef } from "react";
import { useTranslations } from "use-intl";

/** The button above a table. */
export function TableMenuButton(props: ButtonProps & ComponentPropsWithRef<"button">) {
  const t = useTranslations("common");
  return (
    <Button
      variant="subtle"
      color="gray"
      size="compact-sm"
      flex="none"
      leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
      {...props}
    >
      {t("tableView")}
    </Button>
  );
}
