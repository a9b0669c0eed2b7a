"use client";

import { SimpleGrid, Stack } from "@mantine/core";
import { IconChartBar } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { QueryState } from "../_components/data/query-state";
import { FIGURES_MS, SUMS_MS, untilEnd } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { AccountSelect } from "../_components/fields/lazy-selects";
import { SpanFields } from "../_components/fields/span-fields";
import { PageHeader } from "../_components/shell/page-header";
import { EmptyState } from "../_components/tables/empty-state";
import { ExportButton } from "../_components/tables/export-button";
import { SavedViewsMenu } from "../_components/tables/saved-views-menu";
import { ChartCard } from "./chart-card";
import {
  groupsOf,
  type UsageFigures,
  type UsageParameters,
  type UsageSide,
  usageFile,
  usageParsers,
  usageQueries,
} from "./usage-filter";
import { UsageTable } from "./usage-table";
import { UsageTotals } from "./usage-totals";

type Props = {
  side: UsageSide;
  parameters: UsageParameters;
  onChange: (change: Partial<{ [Name in keyof UsageParameters]: UsageParameters[Name] | null }>) => unknown;
};

/** Fields for the span, the grouping and the account. */
function UsageFilters({ side, parameters, onChange }: Props) {
  const t = useTranslations("usage");
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" role="search">
      <SpanFields parameters={parameters} onChange={onChange} />
      <ChoiceSelect
        label={t("by")}
        choices={groupsOf(side)}
        nameOf={(choice) => t(`groups.${choice}`)}
        value={parameters.by}
        onChange={(by) => void onChange({ by })}
      />
      {side === "operator" && (
        <AccountSelect value={parameters.account} onChange={(account) => void onChange({ account })} />
      )}
    </SimpleGrid>
  );
}

function useUsage(side: UsageSide, parameters: UsageParameters) {
  const queries = usageQueries(useTRPC(), parameters);
  const isOwner = side === "owner";
  const own = useQuery({ ...queries.owner, enabled: isOwner, refetchInterval: untilEnd(FIGURES_MS) });
  const everybodys = useQuery({
    ...queries.operator,
    enabled: !isOwner,
    refetchInterval: untilEnd(SUMS_MS),
  });
  return isOwner ? own : everybodys;
}

type FoundProps = { side: UsageSide; usage: UsageFigures; parameters: UsageParameters };

function Found({ side, usage, parameters }: FoundProps) {
  const t = useTranslations("usage");
  if (usage.rows.length === 0) {
    return (
      <EmptyState
        icon={<IconChartBar size={32} />}
        title={t("emptyTitle")}
        text={t("emptyText")}
        doc={side === "owner" ? "quick-start" : "operating"}
      />
    );
  }
  return (
    <Stack gap="lg">
      <UsageTotals usage={usage} />
      <ChartCard side={side} usage={usage} parameters={parameters} />
      <Card title={t(`groups.${usage.by}`)} text={t("tableText")}>
        <UsageTable side={side} usage={usage} account={parameters.account} />
      </Card>
    </Stack>
  );
}

/** Use and charges of a span, by group and over time. */
export function UsageScreen({ side }: { side: UsageSide }) {
  const t = useTranslations("usage");
  const shell = useTranslations("shell");
  const [parameters, setParameters] = useQueryStates(usageParsers);
  const query = useUsage(side, parameters);
  return (
    <>
      <PageHeader
        title={shell(side === "owner" ? "usage" : "allUsage")}
        text={t("lead")}
        actions={
          <>
            <SavedViewsMenu
              list="usage"
              parsers={usageParsers}
              parameters={parameters}
              onChange={setParameters}
            />
            <ExportButton href={usageFile(side, parameters)} />
          </>
        }
      />
      <Stack gap="lg">
        <UsageFilters side={side} parameters={parameters} onChange={setParameters} />
        {query.data ? (
          <Found side={side} usage={query.data} parameters={parameters} />
        ) : (
          <QueryState query={query} lines={10} />
        )}
      </Stack>
    </>
  );
}
