import { Group, Stack, Text, Title } from "@mantine/core";
import { IconClock } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { ChangeFields } from "../../_components/shell/viewer";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { Dimmed } from "../../_components/tables/dimmed";
import { pagesOf } from "../../_components/tables/pages-of";
import { StatusBadge } from "../../_components/tables/status-badge";
import { ShortMoney } from "../../_components/text/money";
import { Timestamp } from "../../_components/text/timestamp";
import { useNow } from "../../_components/text/use-now";
import type { AccountKey } from "../account";
import { accountKeyList } from "../account-list";
import { KeySwitch } from "./key-switch";

function KeyName({ accountKey }: { accountKey: AccountKey }) {
  const t = useTranslations("accounts");
  const now = useNow();
  const { name, lastFour, expiresAt } = accountKey;
  return (
    <Group gap="xs">
      <span className="wrap-anywhere">{name}</span>
      <Text span size="sm" ff="monospace" c="dimmed">
        sk-…{lastFour}
      </Text>
      {expiresAt !== null && new Date(expiresAt).getTime() <= now && (
        <StatusBadge tone="warn" icon={IconClock}>
          {t("expired")}
        </StatusBadge>
      )}
    </Group>
  );
}

function useColumns(accountId: string): Column<AccountKey>[] {
  const t = useTranslations("accounts");
  return [
    { id: "name", header: t("keyName"), isRowHeader: true, cell: (key) => <KeyName accountKey={key} /> },
    {
      id: "access",
      header: t("keyAccess"),
      onPhone: "bare",
      cell: (key) => (key.ruleCount === 0 ? t("anyAddress") : t("rules", { count: key.ruleCount })),
    },
    {
      id: "lastUsed",
      header: t("lastUsed"),
      cell: (key) => (key.lastUsedAt === null ? t("neverUsed") : <Timestamp at={key.lastUsedAt} />),
    },
    {
      id: "expires",
      header: t("expires"),
      cell: (key) => (key.expiresAt === null ? t("neverExpires") : <Timestamp at={key.expiresAt} />),
    },
    {
      id: "spent",
      header: t("spent"),
      isFigure: true,
      onPhone: "aside",
      cell: (key) => <ShortMoney value={key.spent} />,
    },
    {
      id: "state",
      header: t("keyState"),
      onPhone: "bare",
      cell: (key) => (
        <ChangeFields to="keys.switch">
          <KeySwitch accountId={accountId} accountKey={key} />
        </ChangeFields>
      ),
    },
  ];
}

/** An account's keys; an operator can view them and switch them on or off. */
export function AccountKeys({ accountId }: { accountId: string }) {
  const t = useTranslations("accounts");
  const query = useInfiniteQuery(accountKeyList(useTRPC(), accountId));
  const columns = useColumns(accountId);
  const { rows, pages } = pagesOf(query);
  return (
    <Stack component="section" gap="xs" aria-labelledby="keys">
      <div>
        <Title order={2} size="h4" id="keys">
          {t("keysTitle")}
        </Title>
        <Dimmed>{query.data && rows.length === 0 ? t("keysEmpty") : t("keysText")}</Dimmed>
      </div>
      {!query.data && <QueryState query={query} />}
      {rows.length > 0 && (
        <DataTable
          label={t("keysTitle")}
          columns={columns}
          rows={rows}
          rowId={(key) => key.id}
          pages={pages}
        />
      )}
    </Stack>
  );
}
