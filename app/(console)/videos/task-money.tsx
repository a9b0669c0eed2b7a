import { Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { Money } from "../_components/money";
import type { Task } from "./task";

/** The price, and whether it is frozen, charged or returned. */
export function TaskMoney({ task }: { task: Task }) {
  const t = useTranslations("videos");
  return (
    <Stack gap={0}>
      <Money value={task.price} />
      <Text size="xs" c="dimmed">
        {t(task.money)}
      </Text>
    </Stack>
  );
}
