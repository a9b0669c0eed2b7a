import { Text, UnstyledButton } from "@mantine/core";
import { useTranslations } from "use-intl";
import { ChoosableTable } from "../_components/tables/choosable-table";
import type { Column } from "../_components/tables/data-table";
import type { Pages } from "../_components/tables/pages-of";
import type { ServedOrder } from "../_components/tables/served-order";
import { TwoLines } from "../_components/tables/two-lines";
import { Timestamp } from "../_components/text/timestamp";
import type { VideosSide, VideoTaskRow } from "./task";
import { TaskMoney } from "./task-money";
import { TaskState } from "./task-state";
import { useFormText } from "./use-form-text";

function useColumns(side: VideosSide, open: (taskId: string) => void): Column<VideoTaskRow>[] {
  const t = useTranslations("videos");
  const formText = useFormText();
  return [
    {
      id: "prompt",
      header: t("prompt"),
      isRowHeader: true,
      cell: (task) => (
        <UnstyledButton onClick={() => open(task.id)} className="row-link" maw={320}>
          <Text size="sm" fw={600} lineClamp={2} className="wrap-anywhere">
            {task.prompt || t("erased")}
          </Text>
        </UnstyledButton>
      ),
    },
    { id: "state", header: t("state"), onPhone: "bare", cell: (task) => <TaskState task={task} /> },
    {
      id: "model",
      header: t("model"),
      onPhone: "bare",
      cell: (task) => (
        <TwoLines below={formText(task)}>
          <Text size="sm" lineClamp={2} className="wrap-anywhere">
            {task.modelId}
          </Text>
        </TwoLines>
      ),
    },
    side === "owner"
      ? {
          id: "key",
          header: t("key"),
          onPhone: "bare",
          cell: (task) => (
            <Text size="sm" lineClamp={2} className="wrap-anywhere">
              {task.key.name}
            </Text>
          ),
        }
      : {
          id: "account",
          header: t("account"),
          onPhone: "bare",
          cell: (task) => (
            <TwoLines below={<span className="wrap-anywhere">{task.channel?.name}</span>}>
              <Text size="sm" lineClamp={2} className="wrap-anywhere">
                {task.account?.name}
              </Text>
            </TwoLines>
          ),
        },
    {
      id: "created",
      header: t("created"),
      onPhone: "bare",
      cell: (task) => <Timestamp at={task.createdAt} />,
    },
    {
      id: "cost",
      header: t("cost"),
      isFigure: true,
      onPhone: "aside",
      cell: (task) => <TaskMoney task={task} />,
    },
  ];
}

type Props = {
  side: VideosSide;
  rows: VideoTaskRow[];
  pages: Pages;
  served: ServedOrder;
  onOpen: (taskId: string) => void;
};

export function TaskTable({ side, rows, pages, served, onOpen }: Props) {
  const label = useTranslations("shell")(side === "owner" ? "videos" : "allVideos");
  const columns = useColumns(side, onOpen);
  return <ChoosableTable name="videos" {...{ label, columns, rows, pages, served }} rowId={({ id }) => id} />;
}
