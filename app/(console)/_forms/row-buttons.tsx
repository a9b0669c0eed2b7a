import { ActionIcon, Button } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode, Ref } from "react";
import type { Permission } from "@/server/domain/enums";
import { Permitted } from "../_components/shell/viewer";

type AddProps = {
  /** The permission that it takes. */
  to: Permission;
  /** For callers that focus it after a row was removed. */
  ref?: Ref<HTMLButtonElement>;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
};

/** Below the rows of a form: adds a row. */
export function AddRow({ to, ref, disabled, onClick, children }: AddProps) {
  return (
    <Permitted to={to}>
      <Button
        ref={ref}
        size="xs"
        variant="default"
        leftSection={<IconPlus size={14} aria-hidden />}
        style={{ alignSelf: "flex-start" }}
        disabled={disabled}
        onClick={onClick}
      >
        {children}
      </Button>
    </Permitted>
  );
}

/** Next to a row of a form: removes it. `label`: names the row. */
export function RemoveRow({ to, label, onClick }: { to: Permission; label: string; onClick: () => void }) {
  return (
    <Permitted to={to}>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={label} onClick={onClick}>
        <IconTrash size={18} aria-hidden />
      </ActionIcon>
    </Permitted>
  );
}
