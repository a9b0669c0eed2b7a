import { Text, type TextProps } from "@mantine/core";
import type { ReactNode } from "react";

/** Secondary text: hints, origins, the meaning of a figure. */
export const Dimmed = (props: TextProps & { children: ReactNode }) => (
  <Text size="sm" c="dimmed" {...props} />
);
