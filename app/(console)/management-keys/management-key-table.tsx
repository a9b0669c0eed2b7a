import { Button, Stack, Text, VisuallyHidden } from "@mantine/core";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { onDemand } from "../_components/data/on-demand";
import { useMay } from "../_components/shell/viewer";
import { type Column, DataTable } from "../_components/tables/data-table";
import { TwoLines } from "../_components/tables/two-lines";
import { Timestamp } from "../_components/text/timestamp";
import { useActorName } from "../_components/text/use-actor-name";
import { useNow } from "../_components/text/use-now";
import { stateOf } from "../keys/key";
import { KeyEnd } from "../keys/key-end";
import { KeyStatus } from "../keys/key-status";
import { LastUse } from "../keys/last-use";
import type { ManagementKeyRow } from "./management-key";

const RevokeKey = onDemand(() => import("./revoke-key").then((module) => module.RevokeKey));

function Name({ entry }: { entry: ManagementKeyRow }) {
  return (
    <TwoLines miw={0} maw={260} below={<KeyEnd kind="mk" lastFour={entry.lastFour} />}>
      <Text size="sm" fw={600} className="wrap-anywhere">
        {entry.name}
      </Text>
    </TwoLines>
  );
}

function MadeBy({ entry }: { entry: ManagementKeyRow }) {
  const actorName = useActorName();
  return (
    <TwoLines below={<Timestamp at={entry.createdAt} short />}>
      <span className="cut-email" title={actorName(entry.createdBy)}>
        {actorName(entry.createdBy)}
      </span>
    </TwoLines>
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

function useColumns(revoke: (entry: ManagementKeyRow) => void): Column<ManagementKeyRow>[] {
  const t = useTranslations("managementKeys");
  const keys = useTranslations("keys");
  const mayChange = useMay("management_keys.write");
  const columns: Column<ManagementKeyRow>[] = [
    { id: "name", header: t("name"), isRowHeader: true, cell: (key) => <Name entry={key} /> },
    { id: "scope", header: t("scope"), cell: (key) => t(key.isReadOnly ? "readOnly" : "readAndWrite") },
    { id: "lastUsed", header: keys("lastUsed"), cell: (key) => <LastUse entry={key} /> },
    { id: "madeBy", header: t("madeBy"), onPhone: "line", cell: (key) => <MadeBy entry={key} /> },
    { id: "expires", header: keys("expires"), cell: (key) => <Expires entry={key} /> },
  ];
  if (mayChange) {
    columns.push({
      id: "actions",
      header: null,
      isFigure: true,
      cell: (key) => (
        <Button size="xs" variant="default" onClick={() => revoke(key)}>
          {t("revoke")}
          <VisuallyHidden> {key.name}</VisuallyHidden>
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
