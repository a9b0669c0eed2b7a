import { Text, type TextProps } from "@mantine/core";
import type { ReactNode } from "react";

/** What is said beside the matter: hints, origins, what a figure means. */
export const Dimmed = (props: TextProps & { children: ReactNode }) => (
  <Text size="sm" c="dimmed" {...props} />
);
