import { Progress, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconClock, IconX } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { Dimmed } from "../_components/tables/dimmed";
import { StatusBadge, type StatusLook } from "../_components/tables/status-badge";
import { useNow } from "../_components/text/use-now";
import { clockText, timeLeftMs, type VideoTaskRow } from "./task";

const looks: Record<VideoTaskRow["state"], StatusLook> = {
  processing: { tone: "busy", icon: IconClock },
  completed: { tone: "good", icon: IconCheck },
  failed: { tone: "bad", icon: IconAlertTriangle },
  cancelled: { tone: "quiet", icon: IconX },
};

function Running({ task }: { task: VideoTaskRow }) {
  const t = useTranslations("videos");
  const left = clockText(timeLeftMs(task, useNow(1_000)));
  return (
    <>
      <Progress value={task.progress} aria-label={t("progress", { percent: task.progress })} w="100%" />
      <Dimmed size="xs">{t("running", { percent: task.progress, left })}</Dimmed>
    </>
  );
}

/** One of our error codes in words; a vendor's own code is shown with the vendor's message. */
function useTaskError(): (error: NonNullable<VideoTaskRow["error"]>) => string {
  const t = useTranslations("videos");
  return ({ code, message }) => {
    const name = `error_${code}` as Parameters<typeof t.has>[0];
    return t.has(name) ? t(name as "error_timeout") : `${code}: ${message}`;
  };
}

/** A task's state: in words, with its progress and remaining time, or with the error. */
export function TaskState({ task }: { task: VideoTaskRow }) {
  const t = useTranslations("videos");
  const errorText = useTaskError();
  return (
    <Stack gap={4} align="flex-start">
      <StatusBadge {...looks[task.state]}>{t(task.state)}</StatusBadge>
      {task.state === "processing" && <Running task={task} />}
      {task.error && (
        <Text size="xs" maw={240} className="wrap-anywhere">
          {errorText(task.error)}
        </Text>
      )}
    </Stack>
  );
}
