import { Anchor } from "@mantine/core";
import type { ColumnDef } from "@tanstack/react-table";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { DataTable } from "../_components/data-table";
import { Money } from "../_components/money";
import type { pagesOf } from "../_components/pages-of";
import { QuotaBar } from "../_components/quota-bar";
import { Timestamp } from "../_components/timestamp";
import type { AccountRow } from "./account";
import { AccountStatus } from "./account-status";

function useColumns(): ColumnDef<AccountRow, unknown>[] {
  const t = useTranslations("accounts");
  const figure = (
    member: "quota" | "topups" | "used" | "frozen" | "available",
  ): ColumnDef<AccountRow, unknown> => ({
    id: member,
    header: t(member),
    meta: { isFigure: true },
    cell: ({ row }) => <Money value={row.original.month[member]} />,
  });
  return [
    {
      id: "name",
      header: t("name"),
      meta: { isRowHeader: true },
      cell: ({ row }) => (
        <Anchor component={Link} inherit href={addresses.account(row.original.id)} className="wrap-anywhere">
          {row.original.name}
        </Anchor>
      ),
    },
    {
      id: "status",
      header: t("status"),
      cell: ({ row }) => <AccountStatus status={row.original.status} />,
    },
    { id: "bar", header: t("month"), cell: ({ row }) => <QuotaBar month={row.original.month} /> },
    figure("quota"),
    figure("topups"),
    figure("used"),
    figure("frozen"),
    figure("available"),
    { id: "since", header: t("since"), cell: ({ row }) => <Timestamp at={row.original.createdAt} short /> },
  ];
}

/** Accounts with the month under way. */
export function AccountTable({ rows, pages }: ReturnType<typeof pagesOf<AccountRow>>) {
  const shell = useTranslations("shell");
  const columns = useColumns();
  return (
    <DataTable
      label={shell("accounts")}
      columns={columns}
      rows={rows}
      rowId={(row) => row.id}
      pages={pages}
    />
  );
}
