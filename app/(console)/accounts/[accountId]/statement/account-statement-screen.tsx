"use client";

import { useQuery } from "@tanstack/react-query";
import { addresses } from "@/app/addresses";
import { BackLink } from "../../../_components/back-link";
import { QueryState } from "../../../_components/query-state";
import { useTRPC } from "../../../_components/trpc";
import { StatementSheet } from "../../../billing/statement-sheet";

export function AccountStatementScreen({ input }: { input: { accountId: string; period?: string } }) {
  const query = useQuery(useTRPC().accounts.statement.queryOptions(input));
  return query.data ? (
    <StatementSheet
      statement={query.data}
      back={<BackLink href={addresses.account(input.accountId)}>{query.data.account.name}</BackLink>}
    />
  ) : (
    <QueryState query={query} lines={12} />
  );
}
