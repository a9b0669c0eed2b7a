"use client";

import { Group } from "@mantine/core";
import { IconCreditCard } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useQueryStates } from "nuqs";
import { useTranslations } from "use-intl";
import { paymentStates } from "@/server/domain/enums";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { AccountSelect } from "../_components/fields/lazy-selects";
import { PageHeader } from "../_components/shell/page-header";
import { EmptyState } from "../_components/tables/empty-state";
import { NoMatch } from "../_components/tables/no-match";
import { pagesOf } from "../_components/tables/pages-of";
import { type Payment, paymentList, paymentParsers } from "./payment";
import { PaymentTable } from "./payment-table";

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const t = useTranslations("payments");
  return isFiltered ? (
    <NoMatch title={t("noMatchTitle")} onClear={onClear} />
  ) : (
    <EmptyState icon={<IconCreditCard size={32} />} title={t("emptyTitle")} text={t("emptyText")} />
  );
}

/** The payments that customers of all accounts have made or started. */
export function PaymentsScreen() {
  const t = useTranslations("payments");
  const shell = useTranslations("shell");
  const [filter, setFilter] = useQueryStates(paymentParsers);
  const isFiltered = filter.account !== null || filter.state !== null;
  const query = useInfiniteQuery(paymentList(useTRPC(), filter));
  const list = pagesOf<Payment>(query);
  return (
    <>
      <PageHeader title={shell("payments")} text={t("lead")} />
      <Group gap="sm" mb="md" align="flex-end">
        <AccountSelect value={filter.account} onChange={(account) => void setFilter({ account })} />
        <ChoiceSelect
          label={t("state")}
          any={t("anyState")}
          choices={paymentStates}
          nameOf={(state) => t(`states.${state}`)}
          value={filter.state}
          onChange={(state) => void setFilter({ state })}
        />
      </Group>
      {!query.data && <QueryState query={query} lines={8} />}
      {list.rows.length > 0 && <PaymentTable {...list} isAll />}
      {query.data && list.rows.length === 0 && (
        <Nothing isFiltered={isFiltered} onClear={() => void setFilter(null)} />
      )}
    </>
  );
}
