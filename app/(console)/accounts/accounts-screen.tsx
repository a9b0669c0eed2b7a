"use client";

import { Group } from "@mantine/core";
import { IconUsers } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { debounce, parseAsBoolean, useQueryState, useQueryStates } from "nuqs";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { accountSorts, statuses } from "@/server/domain/enums";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { CreateButton } from "../_components/fields/create-button";
import { SearchField } from "../_components/fields/search-field";
import { PageHeader } from "../_components/shell/page-header";
import { optionalQuery } from "../_components/shell/stale-note";
import { useMay } from "../_components/shell/viewer";
import { EmptyState } from "../_components/tables/empty-state";
import { ExportButton } from "../_components/tables/export-button";
import { pagesOf } from "../_components/tables/pages-of";
import { servedOrder } from "../_components/tables/served-order";
import { accountList, accountParsers } from "./account-list";
import { AccountTable } from "./account-table";

type Props = { value: string; onChange: (groupId: string | null) => void };

/** Filters accounts by price group, for links from the list of groups. */
function GroupFilter({ value, onChange }: Props) {
  const t = useTranslations("priceGroups");
  const { data: groups, isPending } = useQuery(useTRPC().prices.groups.queryOptions({}, optionalQuery));
  const unnamed = isPending ? "…" : value;
  const names = new Map([[value, unnamed], ...(groups ?? []).map(({ id, name }) => [id, name] as const)]);
  return (
    <ChoiceSelect
      w={240}
      aria-label={t("group")}
      any={t("anyGroup")}
      choices={[...names.keys()]}
      nameOf={(id) => t("groupNamed", { name: names.get(id) ?? id })}
      value={value}
      onChange={onChange}
    />
  );
}

const CreateAccount = onDemand(() => import("./create-account").then((module) => module.CreateAccount));

/** The search starts when typing pauses this long. */
const TYPING_MS = 300;

export function AccountsScreen() {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  const shell = useTranslations("shell");
  const mayChange = useMay("accounts.write");
  const [{ search, status, group, sort }, setFilter] = useQueryStates(accountParsers);
  const [isCreating, setCreating] = useQueryState("create", parseAsBoolean.withDefault(false));
  const query = useInfiniteQuery(accountList(useTRPC(), { search, status, group, sort }));
  const { rows, pages } = pagesOf(query);
  const create = (
    <CreateButton to="accounts.write" onClick={() => void setCreating(true)}>
      {t("create")}
    </CreateButton>
  );
  const actions = (
    <>
      <ExportButton href={addresses.exported("months", {})} />
      {create}
    </>
  );
  const isFiltered = search !== "" || status !== null || group !== null;
  return (
    <>
      <PageHeader title={shell("accounts")} text={t("lead")} actions={actions} />
      <Group mb="md" gap="sm" role="search" className="filters">
        <SearchField
          label={t("search")}
          value={search}
          onChange={(text) => void setFilter({ search: text }, { limitUrlUpdates: debounce(TYPING_MS) })}
        />
        <ChoiceSelect
          w={160}
          aria-label={t("status")}
          any={t("statusAny")}
          choices={statuses}
          nameOf={(choice) => common(choice)}
          value={status}
          onChange={(chosen) => void setFilter({ status: chosen })}
        />
        {group !== null && (
          <GroupFilter value={group} onChange={(chosen) => void setFilter({ group: chosen })} />
        )}
      </Group>
      {!query.data && <QueryState query={query} lines={8} />}
      {query.data && rows.length > 0 && (
        <AccountTable
          {...{ rows, pages }}
          served={servedOrder(accountSorts, sort, (chosen) => void setFilter({ sort: chosen }))}
        />
      )}
      {query.data && rows.length === 0 && (
        <EmptyState
          icon={<IconUsers size={32} />}
          title={isFiltered ? t("noMatchTitle") : t("emptyTitle")}
          text={isFiltered ? t("noMatchText") : t("emptyText")}
          action={isFiltered ? undefined : create}
        />
      )}
      {isCreating && mayChange && <CreateAccount onClose={() => void setCreating(null)} />}
    </>
  );
}
