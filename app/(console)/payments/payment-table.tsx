import { Anchor, Group, Text } from "@mantine/core";
import { IconGavel, IconReceiptRefund } from "@tabler/icons-react";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { type Column, DataTable } from "../_components/tables/data-table";
import type { Pages } from "../_components/tables/pages-of";
import { StatusBadge } from "../_components/tables/status-badge";
import { TwoLines } from "../_components/tables/two-lines";
import { Money } from "../_components/text/money";
import { Timestamp } from "../_components/text/timestamp";
import { useAmount } from "../_components/text/use-amount";
import { useMonthName } from "../_components/text/use-month-name";
import { looks, type Payment } from "./payment";

const none = <span aria-hidden>—</span>;

/** A payment's state, and whether the customer disputes it. */
export function PaymentState({ payment }: { payment: Payment }) {
  const t = useTranslations("payments");
  const { state, dispute } = payment;
  return (
    <Group gap={4}>
      <StatusBadge {...looks[state]}>{t(`states.${state}`)}</StatusBadge>
      {dispute && (
        <StatusBadge tone={dispute === "won" ? "quiet" : "bad"} icon={IconGavel}>
          {t(`disputes.${dispute}`)}
        </StatusBadge>
      )}
      {payment.refunded !== "0" && (
        <StatusBadge tone={payment.notDebited === "0" ? "quiet" : "warn"} icon={IconReceiptRefund}>
          {t("refunded")}
        </StatusBadge>
      )}
    </Group>
  );
}

function Refunded({ payment }: { payment: Payment }) {
  const t = useTranslations("payments");
  const money = useAmount();
  if (payment.refunded === "0") {
    return none;
  }
  const isSpent = payment.notDebited !== "0";
  return (
    <TwoLines below={isSpent ? t("notDebited", { amount: money(payment.notDebited) }) : null}>
      <Money value={payment.refunded} />
    </TwoLines>
  );
}

function useColumns(isAll: boolean): Column<Payment>[] {
  const t = useTranslations("payments");
  const account: Column<Payment> = {
    id: "account",
    header: t("account"),
    isRowHeader: true,
    cell: ({ account: { id, name } }) => (
      <Anchor
        component={Link}
        href={addresses.account(id)}
        size="sm"
        fw={600}
        display="block"
        miw={116}
        className="wrap-anywhere"
      >
        {name}
      </Anchor>
    ),
  };
  const monthName = useMonthName();
  const time: Column<Payment> = {
    id: "time",
    header: t("time"),
    isRowHeader: !isAll,
    cell: ({ id, createdAt }) =>
      isAll ? (
        <Timestamp at={createdAt} />
      ) : (
        <Anchor component={Link} href={addresses.payment(id)} size="sm" underline="always">
          <Timestamp at={createdAt} />
        </Anchor>
      ),
  };
  return [
    ...(isAll ? [account] : []),
    time,
    { id: "state", header: t("state"), cell: (payment) => <PaymentState payment={payment} /> },
    { id: "amount", header: t("amount"), isFigure: true, cell: ({ amount }) => <Money value={amount} /> },
    { id: "period", header: t("period"), cell: ({ period }) => (period === null ? none : monthName(period)) },
    {
      id: "refunded",
      header: t("refunded"),
      isFigure: true,
      cell: (payment) => <Refunded payment={payment} />,
    },
    {
      id: "reference",
      header: t("reference"),
      cell: ({ reference }) =>
        reference === null ? (
          none
        ) : (
          <Text span size="xs" ff="monospace" className="wrap-anywhere">
            {reference}
          </Text>
        ),
    },
  ];
}

/** `isAll`: the payments of all accounts, for operators. */
export function PaymentTable({
  rows,
  pages,
  isAll = false,
}: {
  rows: Payment[];
  pages: Pages;
  isAll?: boolean;
}) {
  const label = useTranslations("payments")("list");
  return (
    <DataTable label={label} columns={useColumns(isAll)} rows={rows} rowId={({ id }) => id} pages={pages} />
  );
}
