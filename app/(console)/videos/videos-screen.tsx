"use client";

import { Button, SegmentedControl, SimpleGrid, Stack } from "@mantine/core";
import { IconMovie } from "@tabler/icons-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { shownTaskStates, taskSorts } from "@/server/domain/enums";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { AccountSelect, ChannelSelect, KeySelect, ModelFilter } from "../_components/fields/lazy-selects";
import { PageHeader } from "../_components/shell/page-header";
import { Permitted } from "../_components/shell/viewer";
import { EmptyState } from "../_components/tables/empty-state";
import { LoadMore } from "../_components/tables/load-more";
import { NoMatch } from "../_components/tables/no-match";
import { pagesOf } from "../_components/tables/pages-of";
import { servedOrder } from "../_components/tables/served-order";
import type { VideosSide, VideoTaskRow } from "./task";
import { TaskGallery } from "./task-gallery";
import type { TaskParameters } from "./task-list";
import { TaskTable } from "./task-table";
import { type ChangeParameters, useTaskParameters, useTasks } from "./use-tasks";

const TaskDetail = onDemand(() => import("./task-detail").then((module) => module.TaskDetail));

type Props = { side: VideosSide; parameters: TaskParameters; onChange: ChangeParameters };

function Filters({ side, parameters, onChange }: Props) {
  const t = useTranslations("videos");
  return (
    <SimpleGrid
      cols={{ base: 2, sm: side === "owner" ? 3 : 4, md: 4 }}
      spacing="sm"
      role="search"
      className="filters"
    >
      <ChoiceSelect
        label={t("state")}
        any={t("stateAny")}
        choices={shownTaskStates}
        nameOf={(state) => t(state)}
        value={parameters.state}
        onChange={(state) => void onChange({ state })}
      />
      <ModelFilter side={side} value={parameters.model} onChange={(model) => void onChange({ model })} />
      <ChannelSelect value={parameters.channel} onChange={(channel) => void onChange({ channel })} />
      {side === "owner" ? (
        <KeySelect value={parameters.key} onChange={(key) => void onChange({ key })} />
      ) : (
        <AccountSelect value={parameters.account} onChange={(account) => void onChange({ account })} />
      )}
    </SimpleGrid>
  );
}

function ViewChoice({ parameters, onChange }: Omit<Props, "side">) {
  const t = useTranslations("videos");
  return (
    <SegmentedControl
      aria-label={t("view")}
      value={parameters.view}
      data={[
        { value: "table", label: t("viewTable") },
        { value: "gallery", label: t("viewGallery") },
      ]}
      onChange={(view) => void onChange({ view })}
    />
  );
}

const none = { state: null, model: null, key: null, account: null, channel: null };

function Empty({ side, parameters, onChange }: Props) {
  const t = useTranslations("videos");
  const isFiltered = Object.keys(none).some((name) => parameters[name as keyof typeof none] !== null);
  if (isFiltered) {
    return <NoMatch title={t("noMatchTitle")} onClear={() => void onChange(none)} />;
  }
  return (
    <EmptyState
      icon={<IconMovie size={32} />}
      title={t("emptyTitle")}
      text={t(side === "owner" ? "emptyText" : "emptyTextOperator")}
      doc="video"
      action={
        <Permitted to="calls.make">
          <Button component={Link} href={addresses.playground({ tab: "video" })}>
            {t("tryOne")}
          </Button>
        </Permitted>
      }
    />
  );
}

export function VideosScreen({ side }: { side: VideosSide }) {
  const t = useTranslations("videos");
  const shell = useTranslations("shell");
  const [parameters, onChange] = useTaskParameters();
  const query = useTasks(side, parameters);
  const list = pagesOf<VideoTaskRow>(query);
  const open = (task: string) => void onChange({ task });
  const shared = { side, parameters, onChange };
  return (
    <>
      <PageHeader
        title={shell(side === "owner" ? "videos" : "allVideos")}
        text={t("lead")}
        actions={<ViewChoice {...{ parameters, onChange }} />}
      />
      <Stack>
        <Filters {...shared} />
        {!query.data && <QueryState query={query} lines={8} />}
        {query.data && list.rows.length === 0 && <Empty {...shared} />}
        {list.rows.length > 0 && parameters.view === "table" && (
          <TaskTable
            {...{ side, ...list }}
            served={servedOrder(taskSorts, parameters.sort, (sort) => void onChange({ sort }))}
            onOpen={open}
          />
        )}
        {list.rows.length > 0 && parameters.view === "gallery" && (
          <>
            <TaskGallery rows={list.rows} onOpen={open} />
            {list.pages.hasMore && <LoadMore pages={list.pages} label={t("more")} />}
          </>
        )}
      </Stack>
      {parameters.task !== null && (
        <TaskDetail side={side} taskId={parameters.task} onClose={() => void onChange({ task: null })} />
      )}
    </>
  );
}
