import { Stack, type StackProps } from "@mantine/core";
import type { ReactNode } from "react";
import { Dimmed } from "./dimmed";

type Props = Pick<StackProps, "align" | "miw" | "maw"> & {
  children: ReactNode;
  /** Secondary text. */
  below: ReactNode;
};

/** A cell with secondary text: on a line below, or next to it if the table is wide enough. */
export const TwoLines = ({ children, below, ...look }: Props) => (
  <Stack gap={0} className="two-lines" {...look}>
    {children}
    {below && <Dimmed size="xs">{below}</Dimmed>}
  </Stack>
);
