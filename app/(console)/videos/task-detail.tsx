import { Alert, Anchor, Button, Group, Modal, Stack, Table, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { FactRow } from "../_components/cards/fact-row";
import { Identifier } from "../_components/cards/identifier";
import { QueryState } from "../_components/data/query-state";
import { Permitted } from "../_components/shell/viewer";
import { CodeBlock } from "../_components/snippets/code-block";
import { Dimmed } from "../_components/tables/dimmed";
import { useInstallation } from "../_components/text/installation";
import { Timestamp } from "../_components/text/timestamp";
import { useNow } from "../_components/text/use-now";
import { CancelTask } from "./cancel-task";
import { clockText, elapsedMs, type VideosSide, type VideoTaskRow } from "./task";
import { TaskMoney } from "./task-money";
import { TaskState } from "./task-state";
import { useFormText } from "./use-form-text";
import { useTask } from "./use-tasks";

function Film({ task }: { task: VideoTaskRow & { videoUrl: string } }) {
  const t = useTranslations("videos");
  return (
    <Stack gap="xs">
      {/* biome-ignore lint/a11y/useMediaCaption: what a model made has no captions; its prompt stands below */}
      <video
        className="film"
        src={task.videoUrl}
        controls
        preload="none"
        aria-label={t("preview", { prompt: task.prompt.slice(0, 80) })}
      />
      <Group gap="sm">
        <Button
          component="a"
          href={task.videoUrl}
          download={`${task.id}.mp4`}
          rel="noreferrer"
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {t("download")}
        </Button>
        <Dimmed>{t("temporary")}</Dimmed>
      </Group>
    </Stack>
  );
}

const Fact = (props: { name: string; children: ReactNode }) => <FactRow width="9rem" {...props} />;

function Behind({ task: { account, channel, lateResult } }: { task: VideoTaskRow }) {
  const t = useTranslations("videos");
  return account ? (
    <>
      <Fact name={t("account")}>
        <Anchor href={addresses.account(account.id)}>{account.name}</Anchor>
      </Fact>
      <Fact name={t("channel")}>{channel?.name ?? t("noChannel")}</Fact>
      {lateResult && <Fact name={t("lateResult")}>{t("lateResultText", { result: lateResult })}</Fact>}
    </>
  ) : null;
}

function Facts({ task }: { task: VideoTaskRow }) {
  const t = useTranslations("videos");
  const formText = useFormText();
  const now = useNow(1_000);
  return (
    <Table variant="vertical" layout="fixed" withTableBorder>
      <Table.Tbody>
        <Fact name={t("id")}>
          <Identifier id={task.id} label={t("copyId")} />
        </Fact>
        <Fact name={t("model")}>
          {task.modelId} · {formText(task)}
        </Fact>
        <Fact name={t("key")}>
          {task.key.name} {task.key.lastFour && `…${task.key.lastFour}`}
        </Fact>
        <Behind task={task} />
        <Fact name={t("created")}>
          <Timestamp at={task.createdAt} exact />
        </Fact>
        <Fact name={t("elapsed")}>{clockText(elapsedMs(task, now))}</Fact>
        {task.endedAt && (
          <Fact name={t("ended")}>
            <Timestamp at={task.endedAt} exact />
          </Fact>
        )}
        <Fact name={t("cost")}>
          <TaskMoney task={task} isFigure={false} />
        </Fact>
      </Table.Tbody>
    </Table>
  );
}

/** Advice for a task that ended without a video. */
function Advice({ task }: { task: VideoTaskRow }) {
  const t = useTranslations("videos");
  if (!task.error) {
    return null;
  }
  const name = `advice_${task.error.code}` as Parameters<typeof t.has>[0];
  return (
    <Alert color="red" title={t("failedTitle")}>
      {t.has(name)
        ? t(name as "advice_timeout")
        : t("advice", { words: task.error.message || task.error.code })}
    </Alert>
  );
}

function Detail({ side, task }: { side: VideosSide; task: VideoTaskRow }) {
  const t = useTranslations("videos");
  const { baseUrl } = useInstallation();
  const poll = `curl ${baseUrl}/v1/videos/generations/${task.id} -H "Authorization: Bearer $TOLLGATE_KEY"`;
  return (
    <Stack>
      {task.videoUrl !== null && <Film task={{ ...task, videoUrl: task.videoUrl }} />}
      <TaskState task={task} />
      <Advice task={task} />
      <Text className="wrap-anywhere">{task.prompt || t("erased")}</Text>
      <Facts task={task} />
      <Title order={3} size="h5">
        {t("pollTitle")}
      </Title>
      <CodeBlock code={poll} label={t("copyPoll")} language="sh" />
      {task.state === "processing" && (
        <Permitted to="videos.cancel">
          <CancelTask side={side} taskId={task.id} />
        </Permitted>
      )}
    </Stack>
  );
}

/** One task: the video, the state of its money, and the possible actions. */
export function TaskDetail({
  side,
  taskId,
  onClose,
}: {
  side: VideosSide;
  taskId: string;
  onClose: () => void;
}) {
  const t = useTranslations("videos");
  const query = useTask(side, taskId);
  return (
    <Modal opened onClose={onClose} size="lg" title={t("detailTitle")}>
      {query.data ? <Detail side={side} task={query.data} /> : <QueryState query={query} lines={6} />}
    </Modal>
  );
}
