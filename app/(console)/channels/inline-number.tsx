import { Loader, TextInput } from "@mantine/core";
import { type KeyboardEvent, useState } from "react";

type Props = {
  label: string;
  /** The server's value. */
  value: number;
  /** Whether a change has been sent to the server. */
  isPending: boolean;
  /** Whether the server accepts a value. */
  isValid: (value: number) => boolean;
  onCommit: (value: number) => void;
};

const read = (text: string) => (/^-?\d+$/.test(text.trim()) ? Number(text) : Number.NaN);

/** A number that is edited in place: Enter or leaving the field saves it, Escape does not. */
export function InlineNumber({ label, value, isPending, isValid, onCommit }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  const isWrong = typed !== null && !isValid(read(typed));
  const leave = () => {
    if (typed !== null && !isWrong && read(typed) !== value) {
      onCommit(read(typed));
    }
    setTyped(null);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Enter" && !isWrong) {
      leave();
    } else if (event.key === "Escape") {
      setTyped(null);
    }
  };
  return (
    <TextInput
      size="xs"
      w={72}
      ml="auto"
      styles={{ input: { textAlign: "end" } }}
      inputMode="numeric"
      aria-label={label}
      value={typed ?? String(value)}
      error={isWrong}
      maxLength={6}
      readOnly={isPending}
      aria-busy={isPending}
      leftSection={isPending && <Loader size={12} aria-hidden />}
      leftSectionPointerEvents="none"
      onChange={(event) => setTyped(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onBlur={leave}
    />
  );
}
