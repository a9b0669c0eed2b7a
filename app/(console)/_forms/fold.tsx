import { Stack } from "@mantine/core";
import { type ReactNode, useState } from "react";

type Props = {
  title: string;
  /** Names the subject of the fields. */
  hint: string;
  /** Whether one of the fields has another value than usual: then they are shown from the start. */
  isSet: boolean;
  /** Whether a shown problem is in one of the fields: then they are shown. */
  isWrong: boolean;
  children: ReactNode;
};

/** Fields that most people leave as they are, folded under their name. */
export function Fold({ title, hint, isSet, isWrong, children }: Props) {
  const [isOpen, setOpen] = useState(isSet);
  return (
    <details
      className="fold"
      open={isOpen || isWrong}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <span className="fold-title">{title}</span> <span className="dimmed">{hint}</span>
      </summary>
      <Stack pt="sm" pb="xs">
        {children}
      </Stack>
    </details>
  );
}
