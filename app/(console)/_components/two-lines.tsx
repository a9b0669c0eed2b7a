import { Stack, type StackProps, Text } from "@mantine/core";
import type { ReactNode } from "react";

type Props = Pick<StackProps, "align" | "miw" | "maw"> & {
  children: ReactNode;
  /** What is less important. */
  below: ReactNode;
};

/** What stands in a cell, and a line more about it. */
export const TwoLines = ({ children, below, ...look }: Props) => (
  <Stack gap={0} {...look}>
    {children}
    {below && (
      <Text size="xs" c="dimmed">
        {below}
      </Text>
    )}
  </Stack>
);
