import { ActionIcon, Button } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import type { ReactNode, Ref } from "react";
import { ForChangers } from "../_components/viewer";

type AddProps = {
  /** For who gives it the focus when a row has gone. */
  ref?: Ref<HTMLButtonElement>;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
};

/** Below the rows of a form: one more. */
export function AddRow({ ref, disabled, onClick, children }: AddProps) {
  return (
    <ForChangers>
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
    </ForChangers>
  );
}

/** Beside one row of a form. `label`: which one goes. */
export function RemoveRow({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <ForChangers>
      <ActionIcon variant="subtle" color="gray" size={36} aria-label={label} onClick={onClick}>
        <IconTrash size={18} aria-hidden />
      </ActionIcon>
    </ForChangers>
  );
}
