"use client";

import { IconDiscount2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { onDemand } from "../../_components/data/on-demand";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { CreateButton } from "../../_components/fields/create-button";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { useMay } from "../../_components/shell/viewer";
import { EmptyState } from "../../_components/tables/empty-state";
import { GroupTable } from "./group-table";

const GroupDialog = onDemand(() => import("./group-dialog").then((module) => module.GroupDialog));

/** Price groups: the usual prices times a factor, for some accounts. */
export function GroupsScreen() {
  const t = useTranslations("priceGroups");
  const prices = useTranslations("prices");
  const mayChange = useMay("prices.write");
  const query = useQuery(useTRPC().prices.groups.queryOptions());
  const [isCreating, setCreating] = useQueryState(
    "create",
    parseAsBoolean.withDefault(false).withOptions({ history: "push" }),
  );
  const create = (
    <CreateButton to="prices.write" onClick={() => void setCreating(true)}>
      {t("create")}
    </CreateButton>
  );
  return (
    <>
      <BackLink href={addresses.prices()}>{prices("backToList")}</BackLink>
      <PageHeader title={t("title")} text={t("lead")} actions={create} />
      {!query.data && <QueryState query={query} />}
      {query.data && query.data.length > 0 && <GroupTable rows={query.data} />}
      {query.data?.length === 0 && (
        <EmptyState
          icon={<IconDiscount2 size={32} />}
          title={t("emptyTitle")}
          text={t("emptyText")}
          action={create}
        />
      )}
      {isCreating && mayChange && (
        <GroupDialog group={null} onClose={() => void setCreating(null, { history: "replace" })} />
      )}
    </>
  );
}
