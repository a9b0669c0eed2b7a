import { Stack, type StackProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Dimmed } from "./dimmed";

type Props = Pick<StackProps, "align" | "miw" | "maw"> & {
  children: ReactNode;
  /** What is less important. */
  below: ReactNode;
};

/** What stands in a cell, and a line more about it. */
export const TwoLines = ({ children, below, ...look }: Props) => (
  <Stack gap={0} {...look}>
    {children}
    {below && <Dimmed size="xs">{below}</Dimmed>}
  </Stack>
);
