import { Anchor, Group, Paper, Stack, Text, Title } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { CopyButton } from "../_components/copy-button";
import { QueryState } from "../_components/query-state";
import { TaskMoney } from "../videos/task-money";
import { TaskState } from "../videos/task-state";
import { useTask } from "../videos/use-tasks";

/** A task on its way, and what came of it. */
export function VideoTask({ taskId }: { taskId: string }) {
  const t = useTranslations("playground");
  const query = useTask("owner", taskId);
  const task = query.data;
  if (!task) {
    return <QueryState query={query} />;
  }
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h5">
            {t("task")}
          </Title>
          <Anchor component={Link} href={addresses.videos({ task: task.id })} size="sm" underline="always">
            {t("toTask")}
          </Anchor>
        </Group>
        <Group gap={4} wrap="nowrap">
          <Text size="xs" ff="monospace" className="wrap-anywhere">
            {task.id}
          </Text>
          <CopyButton value={task.id} label={t("copyTaskId")} />
        </Group>
        <Group align="flex-start" justify="space-between">
          <TaskState task={task} />
          <TaskMoney task={task} />
        </Group>
        {task.videoUrl && (
          // biome-ignore lint/a11y/useMediaCaption: what a model made has no captions; its prompt names it
          <video
            src={task.videoUrl}
            controls
            preload="none"
            className="answer-video"
            aria-label={task.prompt}
          />
        )}
      </Stack>
    </Paper>
  );
}
