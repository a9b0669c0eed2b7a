"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { CreateButton } from "../_components/fields/create-button";
import { PageHeader } from "../_components/shell/page-header";
import { UserTable } from "./user-table";

const AddUser = onDemand(() => import("./add-user").then((module) => module.AddUser));

/** The operators. */
export function UsersScreen() {
  const t = useTranslations("users");
  const shell = useTranslations("shell");
  const query = useQuery(useTRPC().users.list.queryOptions({}));
  const [isAdding, setAdding] = useQueryState(
    "add",
    parseAsBoolean.withDefault(false).withOptions({ history: "push" }),
  );
  const add = (
    <CreateButton to="people.write" onClick={() => void setAdding(true)}>
      {t("addOperator")}
    </CreateButton>
  );
  return (
    <>
      <PageHeader title={shell("users")} text={t("lead")} actions={add} />
      {query.data ? (
        <UserTable label={shell("users")} users={query.data} />
      ) : (
        <QueryState query={query} lines={4} />
      )}
      {isAdding && <AddUser accountId={null} onClose={() => void setAdding(null, { history: "replace" })} />}
    </>
  );
}
