import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Shown in place of answers before the first one. */
export const NothingYet = ({ icon, text }: { icon: ReactNode; text: string }) => (
  <Stack align="center" gap="xs" py="xl">
    <span aria-hidden className="empty-icon">
      {icon}
    </span>
    <Text c="dimmed" ta="center">
      {text}
    </Text>
  </Stack>
);
