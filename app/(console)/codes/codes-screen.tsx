"use client";

import { IconTicket } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { CreateButton } from "../_components/fields/create-button";
import { PageHeader } from "../_components/shell/page-header";
import { useMay } from "../_components/shell/viewer";
import { EmptyState } from "../_components/tables/empty-state";
import { BatchTable } from "./batch-table";

const CreateDialog = onDemand(() => import("./create-dialog").then((module) => module.CreateDialog));

/** Codes that customers redeem for money, by batch. */
export function CodesScreen() {
  const t = useTranslations("codes");
  const shell = useTranslations("shell");
  const mayChange = useMay("money.write");
  const query = useQuery(useTRPC().codes.list.queryOptions());
  const [isCreating, setCreating] = useQueryState(
    "create",
    parseAsBoolean.withDefault(false).withOptions({ history: "push" }),
  );
  const create = (
    <CreateButton to="money.write" onClick={() => void setCreating(true)}>
      {t("create")}
    </CreateButton>
  );
  return (
    <>
      <PageHeader title={shell("codes")} text={t("lead")} actions={create} />
      {!query.data && <QueryState query={query} />}
      {query.data && query.data.length > 0 && <BatchTable rows={query.data} />}
      {query.data?.length === 0 && (
        <EmptyState
          icon={<IconTicket size={32} />}
          title={t("emptyTitle")}
          text={t("emptyText")}
          action={create}
        />
      )}
      {isCreating && mayChange && (
        <CreateDialog onClose={() => void setCreating(null, { history: "replace" })} />
      )}
    </>
  );
}
