import { Anchor, Stack, Text, VisuallyHidden } from "@mantine/core";
import type { ColumnDef } from "@tanstack/react-table";
import Link from "next/link";
import { useMemo } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { DataTable } from "../_components/data-table";
import type { Pages } from "../_components/pages-of";
import { Timestamp } from "../_components/timestamp";
import type { KeyRow } from "./key";
import { KeyMenu } from "./key-menu";
import { KeySpend } from "./key-spend";
import { KeyStatus } from "./key-status";
import { LastUse } from "./last-use";

function KeyAccess({ entry }: { entry: KeyRow }) {
  const t = useTranslations("keys");
  return (
    <Stack gap={0}>
      <span>{entry.ruleCount === 0 ? t("anyAddress") : t("rules", { count: entry.ruleCount })}</span>
      <Text size="xs" c="dimmed">
        {entry.modelCount === 0 ? t("anyModel") : t("modelCount", { count: entry.modelCount })}
      </Text>
    </Stack>
  );
}

function useColumns(): ColumnDef<KeyRow, unknown>[] {
  const t = useTranslations("keys");
  const common = useTranslations("common");
  return useMemo(
    () => [
      {
        id: "name",
        header: t("name"),
        meta: { isRowHeader: true },
        cell: ({ row: { original: key } }) => (
          <Stack gap={0} miw={0} maw={260}>
            <Anchor
              component={Link}
              href={addresses.key(key.id)}
              size="sm"
              fw={600}
              truncate="end"
              title={key.name}
            >
              {key.name}
            </Anchor>
            <Text size="xs" ff="monospace" c="dimmed">
              sk-…{key.lastFour}
            </Text>
          </Stack>
        ),
      },
      { id: "status", header: t("status"), cell: ({ row }) => <KeyStatus entry={row.original} /> },
      { id: "access", header: t("access"), cell: ({ row }) => <KeyAccess entry={row.original} /> },
      { id: "lastUsed", header: t("lastUsed"), cell: ({ row }) => <LastUse entry={row.original} /> },
      {
        id: "created",
        header: t("created"),
        cell: ({ row }) => <Timestamp at={row.original.createdAt} short />,
      },
      {
        id: "expires",
        header: t("expires"),
        cell: ({ row: { original: key } }) =>
          key.expiresAt === null ? t("neverExpires") : <Timestamp at={key.expiresAt} short />,
      },
      {
        id: "spent",
        header: t("spent"),
        meta: { isFigure: true },
        cell: ({ row }) => <KeySpend entry={row.original} />,
      },
      {
        id: "actions",
        header: () => <VisuallyHidden>{common("actions")}</VisuallyHidden>,
        cell: ({ row }) => <KeyMenu entry={row.original} />,
      },
    ],
    [t, common],
  );
}

export function KeyTable({ rows, pages }: { rows: KeyRow[]; pages: Pages }) {
  const label = useTranslations("shell")("keys");
  return <DataTable label={label} columns={useColumns()} rows={rows} rowId={({ id }) => id} pages={pages} />;
}
