import { Anchor } from "@mantine/core";
import type { inferRouterOutputs } from "@trpc/server";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import type { AppRouter } from "@/server/console";
import { type Column, DataTable } from "../_components/tables/data-table";
import type { pagesOf } from "../_components/tables/pages-of";
import { Timestamp } from "../_components/text/timestamp";
import { useActorName } from "../_components/text/use-actor-name";
import { ChangeDiff } from "./change-diff";

type AuditTarget = { action: string; accountId: string | null; targetId: string };

/** The page of the changed object; null if it has none. */
function hrefOf({ action, accountId, targetId }: AuditTarget): string | null {
  const account = accountId && addresses.account(accountId);
  const places: Record<string, string | null> = {
    account,
    user: account,
    key: account,
    // An account's own management keys are visible only to its owner.
    management_key: accountId === null ? addresses.managementKeys() : null,
    channel: action === "channel.remove" ? null : addresses.channel(targetId),
    model: addresses.price(targetId),
    task: addresses.allVideos({ task: targetId }),
  };
  return places[action.split(".", 1)[0] ?? ""] ?? null;
}

type AuditEntry = inferRouterOutputs<AppRouter>["audit"]["list"]["rows"][number];

/** The name of an action; the bare identifier for an action of an older version. */
function ActionName({ action }: { action: string }) {
  const t = useTranslations("audit");
  const key = `action.${action}` as Parameters<typeof t>[0];
  const name = t.has(key) ? t(key) : action;
  return (
    <span className="cut" title={name}>
      {name}
    </span>
  );
}

function Target({ entry }: { entry: AuditEntry }) {
  const place = hrefOf(entry);
  return place === null ? (
    <span className="cut" title={entry.targetName}>
      {entry.targetName}
    </span>
  ) : (
    <Anchor component={Link} inherit href={place} className="cut" title={entry.targetName}>
      {entry.targetName}
    </Anchor>
  );
}

function useColumns(): Column<AuditEntry>[] {
  const t = useTranslations("audit");
  const actorName = useActorName();
  return [
    { id: "time", header: t("time"), onPhone: "aside", cell: (entry) => <Timestamp at={entry.createdAt} /> },
    {
      id: "what",
      header: t("what"),
      isRowHeader: true,
      cell: ({ action }) => <ActionName action={action} />,
    },
    {
      id: "who",
      header: t("who"),
      onPhone: "bare",
      cell: ({ actor }) => (
        <span className="cut" title={actorName(actor)}>
          {actorName(actor)}
        </span>
      ),
    },
    { id: "target", header: t("target"), onPhone: "bare", cell: (entry) => <Target entry={entry} /> },
    {
      id: "account",
      from: "wide",
      header: t("account"),
      cell: (entry) =>
        entry.accountId === null ? (
          <span aria-hidden>—</span>
        ) : (
          <Anchor component={Link} inherit href={addresses.account(entry.accountId)} className="cut">
            {entry.accountName ?? entry.accountId}
          </Anchor>
        ),
    },
    {
      id: "change",
      header: t("change"),
      onPhone: "bare",
      cell: ({ before, after, targetName }) => <ChangeDiff {...{ before, after, targetName }} />,
    },
    {
      id: "address",
      from: "wide",
      header: t("address"),
      cell: ({ address }) => address ?? <span aria-hidden>—</span>,
    },
  ];
}

export function AuditTable({ rows, pages }: ReturnType<typeof pagesOf<AuditEntry>>) {
  const label = useTranslations("shell")("audit");
  return (
    <DataTable isLog label={label} columns={useColumns()} rows={rows} rowId={({ id }) => id} pages={pages} />
  );
}
