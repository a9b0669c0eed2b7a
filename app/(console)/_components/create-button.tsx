import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { ForChangers } from "./viewer";

/** The way to one thing more of a list; a viewer does not see it. */
export const CreateButton = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <ForChangers>
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={onClick}>
      {children}
    </Button>
  </ForChangers>
);
