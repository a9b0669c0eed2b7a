import { Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { Dimmed } from "../_components/tables/dimmed";
import { Timestamp } from "../_components/text/timestamp";
import { useActorName } from "../_components/text/use-actor-name";
import type { LastChange } from "./overview";
import { Section } from "./section";

function Entry({ change }: { change: LastChange }) {
  const t = useTranslations("overview");
  const audit = useTranslations("audit");
  const actorName = useActorName();
  const action = `action.${change.action}` as Parameters<typeof audit>[0];
  return (
    <Group component="li" justify="space-between" gap="xs">
      <Text size="sm" className="wrap-anywhere">
        {t.rich("change", {
          action: audit.has(action) ? audit(action) : change.action,
          target: change.targetName,
          actor: actorName(change.actor),
          b: (chunks) => <b>{chunks}</b>,
        })}
      </Text>
      <Dimmed>
        <Timestamp at={change.createdAt} />
      </Dimmed>
    </Group>
  );
}

/** The last changes that people made. */
export function LastChanges() {
  const t = useTranslations("overview");
  const query = useQuery(useTRPC().overview.changes.queryOptions());
  return (
    <Section title={t("changesTitle")} link={{ href: addresses.audit(), text: t("changesAll") }}>
      {!query.data && <QueryState query={query} />}
      {query.data?.length === 0 && <Text size="sm">{t("changesEmpty")}</Text>}
      {query.data && query.data.length > 0 && (
        <Stack component="ul" gap="xs" m={0} p={0}>
          {query.data.map((change) => (
            <Entry key={change.id} change={change} />
          ))}
        </Stack>
      )}
    </Section>
  );
}
