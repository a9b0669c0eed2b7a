import { Stack, type StackProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Dimmed } from "./dimmed";

type Props = Pick<StackProps, "align" | "miw" | "maw"> & {
  children: ReactNode;
  /** What is less important. */
  below: ReactNode;
};

/** What stands in a cell, and more about it: on a line below, or beside it where a table has the room. */
export const TwoLines = ({ children, below, ...look }: Props) => (
  <Stack gap={0} className="two-lines" {...look}>
    {children}
    {below && <Dimmed size="xs">{below}</Dimmed>}
  </Stack>
);
