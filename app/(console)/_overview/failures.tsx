import { Anchor, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { QueryState } from "../_components/data/query-state";
import { FIGURES_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { StatusBadge } from "../_components/tables/status-badge";
import { Timestamp } from "../_components/text/timestamp";
import { useErrorName } from "../requests/use-error-name";
import type { RecentFailure } from "./overview";
import { Section } from "./section";

function Entry({ failure }: { failure: RecentFailure }) {
  const t = useTranslations("overview");
  const errorName = useErrorName();
  const { requestId, status, modelId, endpoint, startedAt } = failure;
  const error = errorName(failure.error ?? "other");
  return (
    <Group component="li" align="flex-start" wrap="nowrap" gap="xs">
      <StatusBadge tone={status >= 500 ? "bad" : "warn"} icon={IconAlertTriangle}>
        {status}
      </StatusBadge>
      <Stack gap={0} miw={0}>
        <Anchor
          component={Link}
          href={addresses.requests({ request: requestId })}
          size="sm"
          aria-label={t("openRequest", { id: requestId, error })}
        >
          {error}
        </Anchor>
        <Text size="xs" c="dimmed" lineClamp={2} className="wrap-anywhere">
          <Timestamp at={startedAt} /> · {modelId ?? endpoint}
        </Text>
      </Stack>
    </Group>
  );
}

/** The last failed calls. */
export function Failures() {
  const t = useTranslations("overview");
  const query = useQuery(
    useTRPC().overview.failures.queryOptions(undefined, { refetchInterval: FIGURES_MS }),
  );
  return (
    <Section
      title={t("failuresTitle")}
      link={{ href: addresses.requests({ status: "failed" }), text: t("failuresAll") }}
    >
      {!query.data && <QueryState query={query} />}
      {query.data?.length === 0 && <Text size="sm">{t("failuresEmpty")}</Text>}
      {query.data && query.data.length > 0 && (
        <Stack component="ul" gap="xs" m={0} p={0}>
          {query.data.map((failure) => (
            <Entry key={failure.requestId} failure={failure} />
          ))}
        </Stack>
      )}
    </Section>
  );
}
