"use client";

import { Button, Stack, Switch } from "@mantine/core";
import { IconActivity } from "@tabler/icons-react";
import Link from "next/link";
import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { callSorts } from "@/server/domain/enums";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { PageHeader } from "../_components/shell/page-header";
import { Permitted } from "../_components/shell/viewer";
import { EmptyState } from "../_components/tables/empty-state";
import { ExportButton } from "../_components/tables/export-button";
import { NoMatch } from "../_components/tables/no-match";
import { SavedViewsMenu } from "../_components/tables/saved-views-menu";
import { servedOrder } from "../_components/tables/served-order";
import { useInstallation } from "../_components/text/installation";
import { useNow } from "../_components/text/use-now";
import type { RequestRow, RequestsSide } from "./call";
import { noFilter, rangeOf, toQuery, viewParsers } from "./call-filter";
import { CallFilters } from "./call-filters";
import { CallSums } from "./call-sums";
import { CallTable } from "./call-table";
import { LookFurther } from "./look-further";
import { useCallParameters, useCalls } from "./use-calls";

const CallDrawer = onDemand(() => import("./call-drawer").then((module) => module.CallDrawer));

function Nothing({
  side,
  isFiltered,
  onClear,
}: {
  side: RequestsSide;
  isFiltered: boolean;
  onClear: () => void;
}) {
  const t = useTranslations("requests");
  if (isFiltered) {
    return <NoMatch title={t("noMatchTitle")} text={t("noMatchText")} onClear={onClear} />;
  }
  return (
    <EmptyState
      icon={<IconActivity size={32} />}
      title={t("emptyTitle")}
      text={t(side === "owner" ? "emptyText" : "emptyTextOperator")}
      doc={side === "owner" ? "quick-start" : "operating"}
      action={
        <Permitted to="calls.make">
          <Button component={Link} href={addresses.playground()}>
            {t("tryOne")}
          </Button>
        </Permitted>
      }
    />
  );
}

/** All requests of the keys, and their costs. */
export function RequestsScreen({ side }: { side: RequestsSide }) {
  const t = useTranslations("requests");
  const shell = useTranslations("shell");
  const file = side === "owner" ? "requests" : "all-requests";
  const { requestLogDays } = useInstallation();
  const [parameters, onChange] = useCallParameters();
  const range = rangeOf(parameters);
  const now = useNow();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the last hour is counted from when it was chosen
  const chosenAt = useMemo(() => now, [range]);
  const filter = toQuery(side === "owner" ? { ...parameters, account: null } : parameters, chosenAt);
  const query = useCalls(side, { filter, sort: parameters.sort, isLive: parameters.live });
  const rows: RequestRow[] = query.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <>
      <PageHeader
        title={shell(side === "owner" ? "requests" : "allRequests")}
        text={t("lead", { days: requestLogDays })}
        actions={
          <>
            <Switch
              label={t("live")}
              checked={parameters.live}
              onChange={({ currentTarget }) => void onChange({ live: currentTarget.checked || null })}
            />
            <SavedViewsMenu list="requests" parsers={viewParsers} {...{ parameters, onChange }} />
            <ExportButton href={addresses.exported(file, filter)} />
          </>
        }
      />
      <Stack>
        <CallFilters side={side} parameters={parameters} onChange={onChange} />
        <CallSums {...{ side, filter, parameters }} />
        {!query.data && <QueryState query={query} lines={8} />}
        {rows.length > 0 && (
          <CallTable
            {...{ side, rows }}
            served={servedOrder(callSorts, parameters.sort, (sort) => void onChange({ sort }))}
            onOpen={(request) => void onChange({ request })}
          />
        )}
        {query.data && rows.length === 0 && !query.hasNextPage && (
          <Nothing
            side={side}
            isFiltered={Object.keys(filter).length > 0}
            onClear={() => void onChange(noFilter)}
          />
        )}
        {query.data && <LookFurther query={query} isRanked={!parameters.sort.endsWith("time")} />}
      </Stack>
      {parameters.request !== null && (
        <CallDrawer
          side={side}
          requestId={parameters.request}
          onClose={() => void onChange({ request: null })}
        />
      )}
    </>
  );
}
