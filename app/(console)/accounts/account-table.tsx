import { Anchor, Stack } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { LastsUntil } from "../_components/charts/lasts-until";
import { QuotaBar } from "../_components/charts/quota-bar";
import { ChoosableTable } from "../_components/tables/choosable-table";
import type { Column } from "../_components/tables/data-table";
import type { pagesOf } from "../_components/tables/pages-of";
import type { ServedOrder } from "../_components/tables/served-order";
import { Timestamp } from "../_components/text/timestamp";
import type { AccountRow } from "./account";
import { AccountStatus } from "./account-status";
import { useMonthFigures } from "./use-month-columns";

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
    {
      id: "lastsUntil",
      from: "medium",
      header: t("month"),
      onPhone: "line",
      value: ({ lastsUntil }) => lastsUntil,
      cell: ({ month, lastsUntil }) => (
        <Stack gap={2} flex={1}>
          <QuotaBar month={month} />
          <LastsUntil at={lastsUntil} short />
        </Stack>
      ),
    },
    ...useMonthFigures(({ month, apart }: AccountRow) => ({ ...month, ...apart })),
    {
      id: "created",
      from: "wide",
      header: t("since"),
      onPhone: "hidden",
      value: ({ createdAt }) => createdAt,
      cell: (account) => <Timestamp at={account.createdAt} short />,
    },
  ];
}

/** Accounts with the current month. */
export function AccountTable(props: ReturnType<typeof pagesOf<AccountRow>> & { served: ServedOrder }) {
  const label = useTranslations("shell")("accounts");
  return (
    <ChoosableTable name="accounts" label={label} columns={useColumns()} rowId={({ id }) => id} {...props} />
  );
}
