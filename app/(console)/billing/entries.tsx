import { Group, Stack, Text, Title } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { entryKinds } from "@/server/domain/enums";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { Dimmed } from "../_components/tables/dimmed";
import { pagesOf } from "../_components/tables/pages-of";
import type { BillingEntry } from "./billing";
import { billingParsers, entryList } from "./entry-list";
import { EntryTable } from "./entry-table";

/** The ledger entries of a month; `isArchived`: they have been moved to an archive. */
export function Entries({ period, isArchived }: { period: string; isArchived: boolean }) {
  const t = useTranslations("billing");
  const [kind, setKind] = useQueryState("kind", billingParsers.kind);
  const query = useInfiniteQuery(entryList(useTRPC(), { period, kind }));
  const list = pagesOf<BillingEntry>(query);
  return (
    <Stack component="section" gap="sm" aria-labelledby="entries">
      <Group justify="space-between" align="flex-end" gap="sm">
        <div className="grow">
          <Title order={2} size="h4" id="entries">
            {t("entries")}
          </Title>
          <Dimmed>{t("entriesText")}</Dimmed>
        </div>
        <ChoiceSelect
          aria-label={t("kind")}
          any={t("anyKind")}
          choices={entryKinds}
          nameOf={(choice) => t(`kinds.${choice}`)}
          value={kind}
          onChange={(chosen) => void setKind(chosen)}
        />
      </Group>
      {!query.data && <QueryState query={query} lines={8} />}
      {isArchived && <Text size="sm">{t("entriesArchived")}</Text>}
      {query.data && list.rows.length === 0 && !isArchived && <Text size="sm">{t("noEntries")}</Text>}
      {list.rows.length > 0 && <EntryTable {...list} />}
    </Stack>
  );
}
