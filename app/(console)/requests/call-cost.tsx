import { Stack, Text } from "@mantine/core";
import { useTranslations } from "use-intl";
import { Money } from "../_components/money";
import type { Call } from "./call";

/** What a request cost, or where its money is. A task's charge is one, however often its submission was repeated. */
export function CallCost({ call }: { call: Call }) {
  const t = useTranslations("requests");
  const isOfTask = call.taskId !== null;
  if (call.cost === null) {
    return (
      <Text size="sm" c="dimmed">
        {t(`money.${call.money}`)}
      </Text>
    );
  }
  return (
    <Stack gap={0}>
      <Money value={call.cost} />
      {isOfTask && (
        <Text size="xs" c="dimmed" className="unbroken">
          {t("ofTask")}
        </Text>
      )}
    </Stack>
  );
}
