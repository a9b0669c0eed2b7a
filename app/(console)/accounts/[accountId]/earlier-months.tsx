import { Anchor, Stack, Title } from "@mantine/core";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { type Column, DataTable } from "../../_components/tables/data-table";
import { Dimmed } from "../../_components/tables/dimmed";
import { useMonthName } from "../../_components/text/use-month-name";
import type { Account } from "../account";
import { useMonthColumns } from "../use-month-columns";

type EarlierMonth = Account["earlier"][number];

/** A link to the statement. */
const Printed = ({ accountId, period }: { accountId: string; period: string }) => (
  <Anchor component={Link} href={addresses.accountStatement(accountId, { month: period })} size="sm">
    {useMonthName()(period)}
  </Anchor>
);

function useColumns(accountId: string): Column<EarlierMonth>[] {
  const t = useTranslations("accounts");
  return [
    {
      id: "period",
      header: t("period"),
      isRowHeader: true,
      cell: (month) => <Printed accountId={accountId} period={month.period} />,
    },
    ...useMonthColumns(({ apart, ...month }: EarlierMonth) => ({ ...month, ...apart })),
  ];
}

export function EarlierMonths({ account }: { account: Account }) {
  const t = useTranslations("accounts");
  const columns = useColumns(account.id);
  return (
    <Stack component="section" gap="xs" aria-labelledby="earlier">
      <Title order={2} size="h4" id="earlier">
        {t("earlierTitle")}
      </Title>
      {account.earlier.length > 0 ? (
        <DataTable
          label={t("earlierTitle")}
          columns={columns}
          rows={account.earlier}
          rowId={(row) => row.period}
        />
      ) : (
        <Dimmed>{t("earlierEmpty")}</Dimmed>
      )}
    </Stack>
  );
}
