import { Anchor, Group, Paper, Stack, Title } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Identifier } from "../_components/cards/identifier";
import { QueryState } from "../_components/data/query-state";
import { TaskMoney } from "../videos/task-money";
import { TaskState } from "../videos/task-state";
import { useTask } from "../videos/use-tasks";

/** A task's progress and result. */
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
        <Identifier size="xs" id={task.id} label={t("copyTaskId")} />
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
