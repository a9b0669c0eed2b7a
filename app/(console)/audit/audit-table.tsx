import { Anchor, Text } from "@mantine/core";
import type { ColumnDef } from "@tanstack/react-table";
import type { inferRouterOutputs } from "@trpc/server";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import type { AppRouter } from "@/server/console";
import { DataTable } from "../_components/data-table";
import type { pagesOf } from "../_components/pages-of";
import { Timestamp } from "../_components/timestamp";
import { useActorName } from "../_components/use-actor-name";
import { ChangeDiff } from "./change-diff";
import { hrefOf } from "./href";

type Entry = inferRouterOutputs<AppRouter>["audit"]["list"]["rows"][number];

/** What was done, in words; an action of an older version in its own. */
function ActionName({ action }: { action: string }) {
  const t = useTranslations("audit");
  const key = `action.${action}` as Parameters<typeof t>[0];
  return t.has(key) ? t(key) : <code>{action}</code>;
}

function Target({ entry }: { entry: Entry }) {
  const place = hrefOf(entry);
  return place === null ? (
    <span className="wrap-anywhere">{entry.targetName}</span>
  ) : (
    <Anchor component={Link} inherit href={place} className="wrap-anywhere">
      {entry.targetName}
    </Anchor>
  );
}

function useColumns(): ColumnDef<Entry, unknown>[] {
  const t = useTranslations("audit");
  const actorName = useActorName();
  return [
    { id: "time", header: t("time"), cell: ({ row }) => <Timestamp at={row.original.createdAt} /> },
    {
      id: "what",
      header: t("what"),
      meta: { isRowHeader: true },
      cell: ({ row }) => <ActionName action={row.original.action} />,
    },
    { id: "target", header: t("target"), cell: ({ row }) => <Target entry={row.original} /> },
    {
      id: "account",
      header: t("account"),
      cell: ({ row: { original } }) =>
        original.accountId === null ? (
          <span aria-hidden>—</span>
        ) : (
          <Anchor
            component={Link}
            inherit
            href={addresses.account(original.accountId)}
            className="wrap-anywhere"
          >
            {original.accountName ?? original.accountId}
          </Anchor>
        ),
    },
    {
      id: "change",
      header: t("change"),
      cell: ({ row: { original } }) => <ChangeDiff before={original.before} after={original.after} />,
    },
    {
      id: "who",
      header: t("who"),
      cell: ({ row: { original } }) => (
        <div className="wrap-anywhere">
          {actorName(original.actor)}
          {original.address !== null && (
            <Text size="xs" c="dimmed" ff="monospace">
              {original.address}
            </Text>
          )}
        </div>
      ),
    },
  ];
}

export function AuditTable({ rows, pages }: ReturnType<typeof pagesOf<Entry>>) {
  const shell = useTranslations("shell");
  const columns = useColumns();
  return (
    <DataTable label={shell("audit")} columns={columns} rows={rows} rowId={(row) => row.id} pages={pages} />
  );
}
