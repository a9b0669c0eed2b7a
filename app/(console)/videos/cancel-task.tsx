import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { FailureAlert } from "../_forms/failure-alert";
import type { VideosSide } from "./task";
import { useCancelTask } from "./use-tasks";

/** Cancels a task after a confirmation: unfinished work is lost. The upstream decides, which may take half a minute. */
export function CancelTask({ side, taskId }: { side: VideosSide; taskId: string }) {
  const t = useTranslations("videos");
  const cancel = useCancelTask(side);
  const [isAsking, setAsking] = useState(false);
  if (!isAsking) {
    return (
      <Group>
        <Button variant="default" onClick={() => setAsking(true)}>
          {t("cancel")}
        </Button>
      </Group>
    );
  }
  return (
    <Stack gap="sm" role="group" aria-label={t("cancel")}>
      <Text size="sm">{t("cancelText")}</Text>
      <Group>
        <Button color="red" loading={cancel.isPending} onClick={() => cancel.mutate({ taskId })}>
          {t("cancelNow")}
        </Button>
        {!cancel.isPending && (
          <Button variant="default" onClick={() => setAsking(false)}>
            {t("keepRunning")}
          </Button>
        )}
      </Group>
      <div aria-live="polite">
        {cancel.isPending && <Text size="sm">{t("cancelling")}</Text>}
        {cancel.data && <Alert color="blue">{t(`outcome_${cancel.data.outcome}`)}</Alert>}
        <FailureAlert error={cancel.error} />
      </div>
    </Stack>
  );
}
