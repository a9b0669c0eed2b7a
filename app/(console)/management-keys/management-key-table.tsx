import { Button, Stack, Text, VisuallyHidden } from "@mantine/core";
import type { ColumnDef } from "@tanstack/react-table";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { DataTable } from "../_components/data-table";
import { piece } from "../_components/piece";
import { Timestamp } from "../_components/timestamp";
import { useActorName } from "../_components/use-actor-name";
import { useNow } from "../_components/use-now";
import { useMayChange } from "../_components/viewer";
import { stateOf } from "../keys/key";
import { KeyStatus } from "../keys/key-status";
import { LastUse } from "../keys/last-use";
import type { ManagementKeyRow } from "./management-key";

const RevokeKey = dynamic(
  piece(() => import("./revoke-key").then((module) => module.RevokeKey)),
  { ssr: false },
);

function Name({ entry }: { entry: ManagementKeyRow }) {
  return (
    <Stack gap={0} miw={0} maw={260}>
      <Text size="sm" fw={600} className="wrap-anywhere">
        {entry.name}
      </Text>
      <Text size="xs" ff="monospace" c="dimmed">
        mk-…{entry.lastFour}
      </Text>
    </Stack>
  );
}

function MadeBy({ entry }: { entry: ManagementKeyRow }) {
  const actorName = useActorName();
  return (
    <Stack gap={0}>
      <span className="wrap-anywhere">{actorName(entry.createdBy)}</span>
      <Text size="xs" c="dimmed">
        <Timestamp at={entry.createdAt} short />
      </Text>
    </Stack>
  );
}

function Expires({ entry }: { entry: ManagementKeyRow }) {
  const t = useTranslations("keys");
  const key = { status: "active", expiresAt: entry.expiresAt } as const;
  const isExpired = stateOf(key, useNow()) === "expired";
  if (entry.expiresAt === null) {
    return t("neverExpires");
  }
  return (
    <Stack gap={4} align="flex-start">
      <Timestamp at={entry.expiresAt} short />
      {isExpired && <KeyStatus entry={key} />}
    </Stack>
  );
}

function useColumns(revoke: (entry: ManagementKeyRow) => void): ColumnDef<ManagementKeyRow, unknown>[] {
  const t = useTranslations("managementKeys");
  const keys = useTranslations("keys");
  const common = useTranslations("common");
  const mayChange = useMayChange();
  const columns: ColumnDef<ManagementKeyRow, unknown>[] = [
    {
      id: "name",
      header: t("name"),
      meta: { isRowHeader: true },
      cell: ({ row }) => <Name entry={row.original} />,
    },
    {
      id: "scope",
      header: t("scope"),
      cell: ({ row }) => t(row.original.isReadOnly ? "readOnly" : "readAndWrite"),
    },
    { id: "lastUsed", header: keys("lastUsed"), cell: ({ row }) => <LastUse entry={row.original} /> },
    { id: "madeBy", header: t("madeBy"), cell: ({ row }) => <MadeBy entry={row.original} /> },
    { id: "expires", header: keys("expires"), cell: ({ row }) => <Expires entry={row.original} /> },
  ];
  if (mayChange) {
    columns.push({
      id: "actions",
      header: () => <VisuallyHidden>{common("actions")}</VisuallyHidden>,
      meta: { isFigure: true },
      cell: ({ row: { original } }) => (
        <Button size="xs" variant="default" onClick={() => revoke(original)}>
          {t("revoke")}
          <VisuallyHidden> {original.name}</VisuallyHidden>
        </Button>
      ),
    });
  }
  return columns;
}

export function ManagementKeyTable({ rows }: { rows: ManagementKeyRow[] }) {
  const label = useTranslations("shell")("managementKeys");
  const [revoked, setRevoked] = useState<ManagementKeyRow | null>(null);
  const columns = useColumns(setRevoked);
  return (
    <>
      <DataTable label={label} columns={columns} rows={rows} rowId={({ id }) => id} />
      {revoked && <RevokeKey entry={revoked} onClose={() => setRevoked(null)} />}
    </>
  );
}
