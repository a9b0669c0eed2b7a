"use client";

import { Button } from "@mantine/core";
import { IconCreditCard } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { Permitted } from "../../_components/shell/viewer";
import { EmptyState } from "../../_components/tables/empty-state";
import { pagesOf } from "../../_components/tables/pages-of";
import { ownPaymentList, type Payment } from "../../payments/payment";
import { PaymentTable } from "../../payments/payment-table";

/** The payments that an account's users have made or started. */
export function OwnPaymentsScreen() {
  const t = useTranslations("payments");
  const shell = useTranslations("shell");
  const query = useInfiniteQuery(ownPaymentList(useTRPC()));
  const list = pagesOf<Payment>(query);
  return (
    <>
      <BackLink href={addresses.billing()}>{shell("billing")}</BackLink>
      <PageHeader title={t("ownTitle")} text={t("ownLead")} />
      {!query.data && <QueryState query={query} lines={8} />}
      {list.rows.length > 0 && <PaymentTable {...list} />}
      {query.data && list.rows.length === 0 && (
        <EmptyState
          icon={<IconCreditCard size={32} />}
          title={t("emptyTitle")}
          text={t("ownEmptyText")}
          action={
            <Permitted to="money.pay">
              <Button component={Link} href={addresses.billing({ pay: true })}>
                {t("pay")}
              </Button>
            </Permitted>
          }
        />
      )}
    </>
  );
}
