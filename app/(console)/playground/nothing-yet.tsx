import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";

/** Stands where answers will. */
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
