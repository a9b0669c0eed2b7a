import { Anchor } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { type Column, DataTable } from "../_components/data-table";
import type { pagesOf } from "../_components/pages-of";
import type { ServedOrder } from "../_components/served-order";
import { Timestamp } from "../_components/timestamp";
import type { AccountRow } from "./account";
import { AccountStatus } from "./account-status";
import { useMonthColumns } from "./use-month-columns";

function useColumns(): Column<AccountRow>[] {
  const t = useTranslations("accounts");
  return [
    {
      id: "name",
      header: t("name"),
      isRowHeader: true,
      value: ({ name }) => name,
      cell: (account) => (
        <Anchor component={Link} inherit href={addresses.account(account.id)} className="wrap-anywhere">
          {account.name}
        </Anchor>
      ),
    },
    {
      id: "status",
      header: t("status"),
      onPhone: "aside",
      cell: (account) => <AccountStatus status={account.status} />,
    },
    ...useMonthColumns((account: AccountRow) => account.month),
    {
      id: "lastsUntil",
      header: t("lastsUntil"),
      onPhone: "hidden",
      value: ({ lastsUntil }) => lastsUntil,
      cell: ({ lastsUntil }) => lastsUntil !== null && <Timestamp at={lastsUntil} short />,
    },
    {
      id: "created",
      header: t("since"),
      onPhone: "hidden",
      value: ({ createdAt }) => createdAt,
      cell: (account) => <Timestamp at={account.createdAt} short />,
    },
  ];
}

/** Accounts with the month under way. */
export function AccountTable(props: ReturnType<typeof pagesOf<AccountRow>> & { served: ServedOrder }) {
  const label = useTranslations("shell")("accounts");
  return <DataTable label={label} columns={useColumns()} rowId={({ id }) => id} {...props} />;
}
