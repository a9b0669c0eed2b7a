import { Alert, Button, Group, Text } from "@mantine/core";
import { IconCloudOff } from "@tabler/icons-react";
import { notifyManager, type Query, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { isSessionOver } from "./failure";
import { useFailure } from "./use-failure";

/** For a query whose absence a page can bear, and so has no place to speak of. */
export const beside = { meta: { isBeside: true } };

/** Further rows that did not come are told where they are asked for. */
const isForMore = (query: Query) => query.state.fetchMeta?.fetchMore !== undefined;

/**
 * What is on the page although it could not be asked for again, or is not there and has no place of its own to say so
 * (`beside`). A query that never had an answer says so in its own place, by `QueryState`.
 */
const isTrouble = (query: Query) =>
  query.state.status === "error" &&
  query.isActive() &&
  (query.state.data !== undefined || query.meta?.isBeside === true) &&
  !isForMore(query) &&
  !(query.state.error && isSessionOver(query.state.error));

/** Above every page: that a part of it is old or missing because a call failed, since when, and a way to ask again. */
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
  // A query's own state is new with each change of it: what is compared is that.
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
      : t("staleSince", { moment: format.dateTime(new Date(state.dataUpdatedAt), { timeStyle: "medium" }) });
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
