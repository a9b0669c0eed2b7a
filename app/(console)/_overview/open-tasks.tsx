import { Anchor, Group, Progress, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { QueryState } from "../_components/data/query-state";
import { FOLLOW_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { Dimmed } from "../_components/tables/dimmed";
import { Timestamp } from "../_components/text/timestamp";
import type { OpenTask } from "./overview";
import { Section } from "./section";

function Task({ task }: { task: OpenTask }) {
  const t = useTranslations("overview");
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Anchor
          component={Link}
          href={addresses.videos({ task: task.id })}
          size="sm"
          className="wrap-anywhere"
        >
          {task.modelId}
        </Anchor>
        <Dimmed>
          <Timestamp at={task.createdAt} />
        </Dimmed>
      </Group>
      <Progress
        value={task.progress}
        aria-label={t("taskProgress", { id: task.id, percent: task.progress })}
      />
    </Stack>
  );
}

/** The videos in progress. Showing them sends no request to a vendor. */
export function OpenTasks() {
  const t = useTranslations("overview");
  const query = useQuery(
    useTRPC().overview.openTasks.queryOptions(undefined, {
      refetchInterval: ({ state }) => (state.data?.count ? FOLLOW_MS : false),
    }),
  );
  return (
    <Section title={t("tasksTitle")} link={{ href: addresses.videos(), text: t("tasksAll") }}>
      {!query.data && <QueryState query={query} />}
      {query.data && <Text size="sm">{t("tasksCount", { count: query.data.count })}</Text>}
      {query.data?.tasks.map((task) => (
        <Task key={task.id} task={task} />
      ))}
    </Section>
  );
}
