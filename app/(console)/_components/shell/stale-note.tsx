import { Alert, Button, Group, Text } from "@mantine/core";
import { IconCloudOff } from "@tabler/icons-react";
import { notifyManager, type Query, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { isSessionOver } from "../data/failure";
import { useFailure } from "../data/use-failure";

/** Marks a query that a page can do without: the page has no place to show its error. */
export const optionalQuery = { meta: { isOptional: true } };

/** The list itself shows an error of further rows. */
const isForMore = (query: Query) => query.state.fetchMeta?.fetchMore !== undefined;

/**
 * Whether this query's error belongs in the note: its data on the page could not be refreshed, or it has no data and
 * no place on the page for an error (`optionalQuery`). A query that never had an answer shows its error itself, by
 * `QueryState`.
 */
const isTrouble = (query: Query) =>
  query.state.status === "error" &&
  query.isActive() &&
  (query.state.data !== undefined || query.meta?.isOptional === true) &&
  !isForMore(query) &&
  !(query.state.error && isSessionOver(query.state.error));

/** A note above every page: a part of it is old or missing because a call failed, since when, and a button to retry. */
export function StaleNote() {
  const t = useTranslations("common");
  const format = useFormatter();
  const failure = useFailure();
  const client = useQueryClient();
  const cache = client.getQueryCache();
  const subscribe = useCallback(
    (onChange: () => void) => cache.subscribe(notifyManager.batchCalls(onChange)),
    [cache],
  );
  const oldest = useCallback(
    () =>
      cache
        .findAll({ predicate: isTrouble })
        .toSorted((left, right) => left.state.dataUpdatedAt - right.state.dataUpdatedAt)[0],
    [cache],
  );
  // A query's state is a new object after each change, so it is the value to compare.
  const state = useSyncExternalStore(
    subscribe,
    () => oldest()?.state ?? null,
    () => null,
  );
  if (!state?.error) {
    return null;
  }
  const { text } = failure(state.error);
  const title =
    state.dataUpdatedAt === 0
      ? t("partMissing")
      : t("staleSince", {
          moment: format.dateTime(new Date(state.dataUpdatedAt), { timeStyle: "medium", hourCycle: "h23" }),
        });
  return (
    <Alert
      color="orange"
      role="alert"
      title={title}
      icon={<IconCloudOff aria-hidden />}
      className="stale-note"
    >
      <Group gap="sm">
        <Text size="sm">{text}</Text>
        <Button
          size="xs"
          variant="default"
          onClick={() => void client.refetchQueries({ predicate: isTrouble })}
        >
          {t("retry")}
        </Button>
      </Group>
    </Alert>
  );
}
