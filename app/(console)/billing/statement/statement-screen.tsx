"use client";

import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { BackLink } from "../../_components/shell/back-link";
import { StatementSheet } from "../statement-sheet";

export function StatementScreen({ period }: { period?: string }) {
  const shell = useTranslations("shell");
  const query = useQuery(
    useTRPC().billing.wholeStatement.queryOptions(period === undefined ? {} : { period }),
  );
  return query.data ? (
    <StatementSheet
      statement={query.data}
      back={<BackLink href={addresses.billing()}>{shell("billing")}</BackLink>}
    />
  ) : (
    <QueryState query={query} lines={12} />
  );
}
