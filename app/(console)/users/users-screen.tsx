"use client";

import { Button } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/on-demand";
import { PageHeader } from "../_components/page-header";
import { QueryState } from "../_components/query-state";
import { useTRPC } from "../_components/trpc";
import { ForChangers } from "../_components/viewer";
import { UserTable } from "./user-table";

const AddUser = onDemand(() => import("./add-user").then((module) => module.AddUser));

/** Those who run the gateway. */
export function UsersScreen() {
  const t = useTranslations("users");
  const shell = useTranslations("shell");
  const query = useQuery(useTRPC().users.list.queryOptions());
  const [isAdding, setAdding] = useState(false);
  const add = (
    <ForChangers>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
        {t("addOperator")}
      </Button>
    </ForChangers>
  );
  return (
    <>
      <PageHeader title={shell("users")} text={t("lead")} actions={add} />
      {query.data ? (
        <UserTable label={shell("users")} users={query.data} hasRoles />
      ) : (
        <QueryState query={query} lines={4} />
      )}
      {isAdding && <AddUser accountId={null} onClose={() => setAdding(false)} />}
    </>
  );
}
