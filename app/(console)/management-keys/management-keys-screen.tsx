"use client";

import { Stack } from "@mantine/core";
import { IconApi } from "@tabler/icons-react";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { CreateButton } from "../_components/fields/create-button";
import { PageHeader } from "../_components/shell/page-header";
import { useMay, useSide } from "../_components/shell/viewer";
import { EmptyState } from "../_components/tables/empty-state";
import { AdminCall } from "./admin-call";
import { ManagementKeyTable } from "./management-key-table";
import { useManagementKeys } from "./use-management-keys";

const CreateDialog = onDemand(() => import("./create-dialog").then((module) => module.CreateDialog));

/** Keys with which programs use the admin API: an account's, or the installation's. */
export function ManagementKeysScreen() {
  const t = useTranslations("managementKeys");
  const shell = useTranslations("shell");
  const whose = useSide() === "owner" ? "account" : "installation";
  const mayChange = useMay("management_keys.write");
  const query = useManagementKeys();
  const [isCreating, setCreating] = useQueryState(
    "create",
    parseAsBoolean.withDefault(false).withOptions({ history: "push" }),
  );
  const create = (
    <CreateButton to="management_keys.write" onClick={() => void setCreating(true)}>
      {t("create")}
    </CreateButton>
  );
  return (
    <>
      <PageHeader title={shell("managementKeys")} text={t(`lead.${whose}`)} actions={create} />
      {!query.data && <QueryState query={query} />}
      {query.data && query.data.length > 0 && <ManagementKeyTable rows={query.data} />}
      {query.data?.length === 0 && (
        <EmptyState
          icon={<IconApi size={32} />}
          title={t("emptyTitle")}
          text={t(`emptyText.${whose}`)}
          doc="admin-api"
          action={
            <Stack align="center" w="100%">
              {create}
              <AdminCall secret={null} />
            </Stack>
          }
        />
      )}
      {isCreating && mayChange && (
        <CreateDialog onClose={() => void setCreating(null, { history: "replace" })} />
      )}
    </>
  );
}
