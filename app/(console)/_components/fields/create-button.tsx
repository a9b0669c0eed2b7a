import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Permission } from "@/server/domain/enums";
import { Permitted } from "../shell/viewer";

/** A button that creates another item of a list. Hidden from viewers who may not create one. */
export const CreateButton = ({
  to,
  onClick,
  children,
}: {
  to: Permission;
  onClick: () => void;
  children: ReactNode;
}) => (
  <Permitted to={to}>
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onClick}>
      {children}
    </Button>
  </Permitted>
);
