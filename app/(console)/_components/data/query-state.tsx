import { Alert, Button, Skeleton, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import type { Failed } from "./failure";
import { useFailure } from "./use-failure";

type QueryResult = { error: Failed | null; refetch: () => unknown };

/** Shown in place of a query's data: the query is loading, or it failed, with the reason and a button to retry. */
export function QueryState({ query, lines = 4 }: { query: QueryResult; lines?: number }) {
  const t = useTranslations("common");
  const failure = useFailure();
  if (!query.error) {
    return (
      <Stack gap="xs" role="status" aria-label={t("loading")}>
        {Array.from({ length: lines }, (_, line) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
          <Skeleton key={line} height={20} />
        ))}
      </Stack>
    );
  }
  const { text, requestId } = failure(query.error);
  return (
    <Alert color="red" role="alert" title={t("errorTitle")} icon={<IconAlertTriangle aria-hidden />}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{text}</Text>
        {requestId && (
          <Text size="xs" ff="monospace">
            {t("requestId", { id: requestId })}
          </Text>
        )}
        <Button size="xs" variant="default" onClick={() => void query.refetch()}>
          {t("retry")}
        </Button>
      </Stack>
    </Alert>
  );
}
