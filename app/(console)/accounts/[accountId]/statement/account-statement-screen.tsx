"use client";

import { useQuery } from "@tanstack/react-query";
import { addresses } from "@/app/addresses";
import { QueryState } from "../../../_components/data/query-state";
import { useTRPC } from "../../../_components/data/trpc";
import { BackLink } from "../../../_components/shell/back-link";
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
