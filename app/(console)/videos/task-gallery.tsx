import { Box, Button, Card, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconMovie } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { Dimmed } from "../_components/tables/dimmed";
import { Timestamp } from "../_components/text/timestamp";
import type { VideoTaskRow } from "./task";
import { TaskMoney } from "./task-money";
import { TaskState } from "./task-state";
import { useFormText } from "./use-form-text";

function Film({ task }: { task: VideoTaskRow }) {
  const t = useTranslations("videos");
  if (task.videoUrl === null) {
    return (
      <div className="film-empty" aria-hidden>
        <IconMovie size={32} stroke={1.2} />
      </div>
    );
  }
  return (
    // biome-ignore lint/a11y/useMediaCaption: what a model made has no captions; its prompt stands below
    <video
      className="film"
      src={`${task.videoUrl}#t=0.1`}
      preload="metadata"
      controls
      aria-label={t("preview", { prompt: task.prompt.slice(0, 80) })}
    />
  );
}

/** The tasks as pictures. */
export function TaskGallery({ rows, onOpen }: { rows: VideoTaskRow[]; onOpen: (taskId: string) => void }) {
  const t = useTranslations("videos");
  const common = useTranslations("common");
  const formText = useFormText();
  return (
    <SimpleGrid component="ul" className="plain-list" cols={{ base: 1, sm: 2, lg: 3 }}>
      {rows.map((task) => (
        <Card component="li" withBorder key={task.id} padding="sm">
          <Card.Section>
            <Film task={task} />
          </Card.Section>
          <Stack gap="xs" mt="sm" flex={1}>
            <Text size="sm" fw={600} lineClamp={2} className="wrap-anywhere">
              {task.prompt || t("erased")}
            </Text>
            <Group justify="space-between" align="flex-start" wrap="nowrap">
              <TaskState task={task} />
              <Box flex="none" ta="end">
                <TaskMoney task={task} />
              </Box>
            </Group>
            <Group justify="space-between">
              <Dimmed size="xs">
                {task.modelId} · {formText(task)}
              </Dimmed>
              <Dimmed size="xs">
                <Timestamp at={task.createdAt} />
              </Dimmed>
            </Group>
            <Button variant="default" size="xs" mt="auto" onClick={() => onOpen(task.id)}>
              {common("details")}
            </Button>
          </Stack>
        </Card>
      ))}
    </SimpleGrid>
  );
}
