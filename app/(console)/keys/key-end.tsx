import { Text } from "@mantine/core";

/** The last four characters, which identify a key once its secret is no longer shown. */
export const KeyEnd = ({ kind, lastFour }: { kind: "sk" | "mk"; lastFour: string }) => (
  <Text span inherit ff="monospace">
    {kind}-…{lastFour}
  </Text>
);
