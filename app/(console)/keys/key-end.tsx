import { Text } from "@mantine/core";

/** What tells a key from others once its secret is gone. */
export const KeyEnd = ({ kind, lastFour }: { kind: "sk" | "mk"; lastFour: string }) => (
  <Text span inherit ff="monospace">
    {kind}-…{lastFour}
  </Text>
);
