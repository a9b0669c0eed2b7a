import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { Card } from "../_components/cards/card";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Timestamp } from "../_components/text/timestamp";
import type { ChannelDetail, ChannelHealth } from "./channel";
import { Fault, Rests } from "./channel-state";

const HEALTH_MS = 5_000;

function useColumns(hints: string[]): Column<ChannelHealth>[] {
  const t = useTranslations("channels");
  const common = useTranslations("common");
  return [
    {
      id: "operation",
      header: t("operation"),
      isRowHeader: true,
      cell: (row) => t(`operations.${row.operation}`),
    },
    {
      id: "breaker",
      header: t("breaker"),
      cell: (row) => (
        <Stack gap={0}>
          {t(`breakers.${row.state}`)}
          {row.accountsApart > 0 && <Text size="xs">{t("apartNote", { count: row.accountsApart })}</Text>}
          <Rests rests={row.restingCredentials} hints={hints} />
        </Stack>
      ),
    },
    {
      id: "successes",
      header: t("successes"),
      isFigure: true,
      cell: (row) => t("successesOf", { oks: row.oks, attempts: row.attempts }),
    },
    {
      id: "lastOk",
      header: t("lastOk"),
      cell: (row) => (row.lastOkAt === null ? common("never") : <Timestamp at={row.lastOkAt} />),
    },
    {
      id: "lastFault",
      header: t("lastFault"),
      cell: (row) => (row.lastFault === null ? t("noFault") : <Fault fault={row.lastFault} />),
    },
  ];
}

/** The health of one channel as this server process knows it, by operation. */
export function HealthTable({ channel }: { channel: ChannelDetail }) {
  const t = useTranslations("channels");
  const columns = useColumns(channel.credentialHints);
  const query = useQuery(useTRPC().channels.states.queryOptions(undefined, { refetchInterval: HEALTH_MS }));
  const rows = query.data?.filter(({ channelId }) => channelId === channel.id).flatMap(({ seen }) => seen);
  return (
    <Card title={t("health")} text={t("processNote")}>
      {!rows && <QueryState query={query} lines={2} />}
      {rows?.length === 0 && <Text size="sm">{t("healthEmpty")}</Text>}
      {rows && rows.length > 0 && (
        <DataTable label={t("health")} columns={columns} rows={rows} rowId={({ operation }) => operation} />
      )}
    </Card>
  );
}
