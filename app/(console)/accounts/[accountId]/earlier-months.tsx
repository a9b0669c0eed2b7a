import { Stack, Text, Title } from "@mantine/core";
import { useTranslations } from "use-intl";
import { type Column, DataTable } from "../../_components/data-table";
import { Money } from "../../_components/money";
import { QuotaBar } from "../../_components/quota-bar";
import type { Account } from "../account";

type Month = Account["earlier"][number];

function useColumns(): Column<Month>[] {
  const t = useTranslations("accounts");
  const figure = (member: "quota" | "topups" | "used" | "frozen" | "available"): Column<Month> => ({
    id: member,
    header: t(member),
    isFigure: true,
    cell: (month) => <Money value={month[member]} />,
  });
  return [
    { id: "period", header: t("period"), isRowHeader: true, cell: (month) => month.period },
    { id: "bar", header: t("month"), cell: (month) => <QuotaBar month={month} /> },
    figure("quota"),
    figure("topups"),
    figure("used"),
    figure("frozen"),
    figure("available"),
  ];
}

export function EarlierMonths({ account }: { account: Account }) {
  const t = useTranslations("accounts");
  const columns = useColumns();
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
        <Text size="sm" c="dimmed">
          {t("earlierEmpty")}
        </Text>
      )}
    </Stack>
  );
}
