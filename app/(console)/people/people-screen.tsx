"use client";

import { useQuery } from "@tanstack/react-query";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { CreateButton } from "../_components/fields/create-button";
import { PageHeader } from "../_components/shell/page-header";
import { useMay } from "../_components/shell/viewer";
import { UserTable } from "../users/user-table";

const InvitePerson = onDemand(() => import("../users/add-user").then((module) => module.InvitePerson));

/** The users of the account. */
export function PeopleScreen() {
  const t = useTranslations("users");
  const shell = useTranslations("shell");
  const query = useQuery(useTRPC().people.list.queryOptions());
  const mayInvite = useMay("people.write");
  const [isAdding, setAdding] = useQueryState(
    "add",
    parseAsBoolean.withDefault(false).withOptions({ history: "push" }),
  );
  const add = (
    <CreateButton to="people.write" onClick={() => void setAdding(true)}>
      {t("invite")}
    </CreateButton>
  );
  return (
    <>
      <PageHeader title={shell("people")} text={t("peopleLead")} actions={add} />
      {query.data ? (
        <UserTable label={shell("people")} users={query.data} />
      ) : (
        <QueryState query={query} lines={4} />
      )}
      {isAdding && mayInvite && <InvitePerson onClose={() => void setAdding(null, { history: "replace" })} />}
    </>
  );
}
