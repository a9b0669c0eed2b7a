import { Stack, Text, UnstyledButton } from "@mantine/core";
import type { ColumnDef } from "@tanstack/react-table";
import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { DataTable } from "../_components/data-table";
import type { Pages } from "../_components/pages-of";
import { Timestamp } from "../_components/timestamp";
import type { Side, Task } from "./task";
import { TaskMoney } from "./task-money";
import { TaskState } from "./task-state";
import { useFormText } from "./use-form-text";

function useColumns(side: Side, open: (taskId: string) => void): ColumnDef<Task, unknown>[] {
  const t = useTranslations("videos");
  const formText = useFormText();
  return useMemo(
    () => [
      {
        id: "prompt",
        header: t("prompt"),
        meta: { isRowHeader: true },
        cell: ({ row: { original: task } }) => (
          <UnstyledButton onClick={() => open(task.id)} className="row-link" maw={320}>
            <Text size="sm" fw={600} lineClamp={2} className="wrap-anywhere">
              {task.prompt}
            </Text>
          </UnstyledButton>
        ),
      },
      { id: "state", header: t("state"), cell: ({ row }) => <TaskState task={row.original} /> },
      {
        id: "model",
        header: t("model"),
        cell: ({ row: { original: task } }) => (
          <Stack gap={0}>
            <Text size="sm" lineClamp={2} className="wrap-anywhere">
              {task.modelId}
            </Text>
            <Text size="xs" c="dimmed">
              {formText(task)}
            </Text>
          </Stack>
        ),
      },
      side === "owner"
        ? {
            id: "key",
            header: t("key"),
            cell: ({ row }) => (
              <Text size="sm" lineClamp={2} className="wrap-anywhere">
                {row.original.key.name}
              </Text>
            ),
          }
        : {
            id: "account",
            header: t("account"),
            cell: ({ row }) => (
              <Stack gap={0}>
                <Text size="sm" lineClamp={2} className="wrap-anywhere">
                  {row.original.account?.name}
                </Text>
                <Text size="xs" c="dimmed" className="wrap-anywhere">
                  {row.original.channel?.name}
                </Text>
              </Stack>
            ),
          },
      {
        id: "created",
        header: t("created"),
        cell: ({ row }) => <Timestamp at={row.original.createdAt} />,
      },
      {
        id: "cost",
        header: t("cost"),
        meta: { isFigure: true },
        cell: ({ row }) => <TaskMoney task={row.original} />,
      },
    ],
    [t, side, open, formText],
  );
}

type Props = {
  side: Side;
  rows: Task[];
  pages: Pages;
  onOpen: (taskId: string) => void;
};

export function TaskTable({ side, rows, pages, onOpen }: Props) {
  const label = useTranslations("shell")(side === "owner" ? "videos" : "allVideos");
  const columns = useColumns(side, onOpen);
  return <DataTable label={label} columns={columns} rows={rows} rowId={({ id }) => id} pages={pages} />;
}
