"use client";

import { IconHistory } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import type { Action } from "@/server/audit";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { PageHeader } from "../_components/shell/page-header";
import { EmptyState } from "../_components/tables/empty-state";
import { ExportButton } from "../_components/tables/export-button";
import { NoMatch } from "../_components/tables/no-match";
import { pagesOf } from "../_components/tables/pages-of";
import { SavedViewsMenu } from "../_components/tables/saved-views-menu";
import { AuditFilters } from "./audit-filters";
import { auditList, auditParsers, toQuery } from "./audit-list";
import { AuditTable } from "./audit-table";

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const t = useTranslations("audit");
  return isFiltered ? (
    <NoMatch title={t("noMatchTitle")} text={t("noMatchText")} onClear={onClear} />
  ) : (
    <EmptyState icon={<IconHistory size={32} />} title={t("emptyTitle")} text={t("emptyText")} />
  );
}

/** The audit log. `actions`: all actions that can be recorded. */
export function AuditScreen({ actions }: { actions: readonly Action[] }) {
  const t = useTranslations("audit");
  const shell = useTranslations("shell");
  const [filter, setFilter] = useQueryStates(auditParsers);
  const parameters = toQuery(filter);
  const isFiltered = Object.keys(parameters).length > 0;
  const query = useInfiniteQuery(auditList(useTRPC(), filter));
  const { rows, pages } = pagesOf(query);
  return (
    <>
      <PageHeader
        title={shell("audit")}
        text={t("lead")}
        actions={
          <>
            <SavedViewsMenu list="audit" parsers={auditParsers} parameters={filter} onChange={setFilter} />
            <ExportButton href={addresses.exported("audit", parameters)} />
          </>
        }
      />
      <AuditFilters actions={actions} filter={filter} setFilter={setFilter} />
      {!query.data && <QueryState query={query} lines={8} />}
      {rows.length > 0 && <AuditTable rows={rows} pages={pages} />}
      {query.data && rows.length === 0 && (
        <Nothing isFiltered={isFiltered} onClear={() => void setFilter(null)} />
      )}
    </>
  );
}
