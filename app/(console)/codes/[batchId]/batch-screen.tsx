"use client";

import { Anchor, Stack, Text } from "@mantine/core";
import { IconTicket } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { statusOf } from "../../_components/data/failure";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { EmptyState } from "../../_components/tables/empty-state";
import { Timestamp } from "../../_components/text/timestamp";
import { BatchTable } from "../batch-table";
import type { CodeUse } from "../code-batch";

function UseTable({ uses }: { uses: CodeUse[] }) {
  const t = useTranslations("codes");
  const columns: Column<CodeUse & { row: number }>[] = [
    {
      id: "code",
      header: t("code"),
      isRowHeader: true,
      cell: ({ lastFour }) => (
        <Text span size="sm" ff="monospace">
          …{lastFour}
        </Text>
      ),
    },
    {
      id: "by",
      header: t("by"),
      cell: ({ account }) =>
        account === null ? (
          t("nobody")
        ) : (
          <Anchor component={Link} href={addresses.account(account.id)} size="sm" className="wrap-anywhere">
            {account.name}
          </Anchor>
        ),
    },
    {
      id: "at",
      header: t("at"),
      cell: ({ redeemedAt }) =>
        redeemedAt === null ? <span aria-hidden>—</span> : <Timestamp at={redeemedAt} />,
    },
  ];
  const rows = uses.map((use, row) => ({ ...use, row }));
  return <DataTable label={t("code")} columns={columns} rows={rows} rowId={({ row }) => String(row)} />;
}

/** A batch, and the state of each of its codes. */
export function BatchScreen({ batchId }: { batchId: string }) {
  const t = useTranslations("codes");
  const shell = useTranslations("shell");
  const query = useQuery(useTRPC().codes.get.queryOptions({ batchId }));
  const isMissing = query.error !== null && statusOf(query.error) === 400;
  return (
    <>
      <BackLink href={addresses.codes()}>{t("backToList")}</BackLink>
      <PageHeader title={query.data?.name ?? shell("codes")} />
      {isMissing && (
        <EmptyState icon={<IconTicket size={32} />} title={t("missingTitle")} text={t("missingText")} />
      )}
      {!(query.data || isMissing) && <QueryState query={query} />}
      {query.data && (
        <Stack>
          <BatchTable rows={[query.data]} />
          <UseTable uses={query.data.uses} />
        </Stack>
      )}
    </>
  );
}
