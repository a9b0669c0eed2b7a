"use client";

import { Button, Group, Stack, Text } from "@mantine/core";
import { IconCreditCard } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Card } from "../../../_components/cards/card";
import { FigureList } from "../../../_components/cards/figure-list";
import { statusOf } from "../../../_components/data/failure";
import { QueryState } from "../../../_components/data/query-state";
import { useTRPC } from "../../../_components/data/trpc";
import { BackLink } from "../../../_components/shell/back-link";
import { PageHeader } from "../../../_components/shell/page-header";
import { EmptyState } from "../../../_components/tables/empty-state";
import { Money } from "../../../_components/text/money";
import { Timestamp } from "../../../_components/text/timestamp";
import { useAmount } from "../../../_components/text/use-amount";
import { useMonthName } from "../../../_components/text/use-month-name";
import type { Payment } from "../../../payments/payment";
import { PaymentState } from "../../../payments/payment-table";

/** How often to check for the provider's message: a card is confirmed within seconds, a transfer within days. */
const LOOK_MS = { open: 2_000, processing: 15_000 } as const;

/**
 * The state of a payment, by the provider's message; `hasLeft`: the user left without paying, as far as the browser
 * can tell.
 */
function Outcome({ payment, hasLeft }: { payment: Payment; hasLeft: boolean }) {
  const t = useTranslations("payments");
  const money = useAmount();
  const monthName = useMonthName();
  const { state, amount, period, provider } = payment;
  const outcome = state === "open" && hasLeft ? "left" : state;
  const isOver = outcome !== "open" && outcome !== "processing" && outcome !== "paid";
  const values = {
    amount: money(amount),
    period: period === null ? "" : monthName(period),
    provider: t(`providers.${provider}`),
  };
  return (
    <Card title={t(`outcomes.${outcome}`)}>
      <Text size="sm" role="status">
        {t(`outcomesText.${outcome}`, values)}
      </Text>
      <FigureList
        figures={[
          { id: "amount", name: t("amount"), value: <Money value={amount} /> },
          { id: "state", name: t("state"), value: <PaymentState payment={payment} /> },
          { id: "time", name: t("time"), value: <Timestamp at={payment.createdAt} /> },
        ]}
      />
      <Group gap="sm">
        {isOver && (
          <Button component={Link} href={addresses.billing({ pay: true })}>
            {t("again")}
          </Button>
        )}
        <Button component={Link} href={addresses.billing()} variant={isOver ? "default" : "filled"}>
          {t("toBilling")}
        </Button>
      </Group>
    </Card>
  );
}

/** The page to which the user returns after paying. */
export function PaymentScreen({ paymentId }: { paymentId: string }) {
  const t = useTranslations("payments");
  const [hasLeft] = useQueryState("left", parseAsBoolean.withDefault(false));
  const query = useQuery(
    useTRPC().payments.get.queryOptions(
      { paymentId },
      {
        refetchInterval: ({ state: { data } }) =>
          data?.state === "open" || data?.state === "processing" ? LOOK_MS[data.state] : false,
      },
    ),
  );
  const isMissing = query.error !== null && statusOf(query.error) === 400;
  return (
    <Stack gap={0}>
      <BackLink href={addresses.ownPayments()}>{t("ownTitle")}</BackLink>
      <PageHeader title={t("payment")} />
      {isMissing && (
        <EmptyState icon={<IconCreditCard size={32} />} title={t("missingTitle")} text={t("missingText")} />
      )}
      {!(query.data || isMissing) && <QueryState query={query} />}
      {query.data && <Outcome payment={query.data} hasLeft={hasLeft} />}
    </Stack>
  );
}
