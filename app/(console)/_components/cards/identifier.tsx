import { Group, Text } from "@mantine/core";
import { CopyButton } from "../snippets/copy-button";

/** An identifier to read and copy. `label` says what is copied, for screen readers. */
export const Identifier = ({ id, label, size = "sm" }: { id: string; label: string; size?: "xs" | "sm" }) => (
  <Group gap={4} wrap="nowrap">
    <Text size={size} ff="monospace" className="wrap-anywhere">
      {id}
    </Text>
    <CopyButton value={id} label={label} />
  </Group>
);
