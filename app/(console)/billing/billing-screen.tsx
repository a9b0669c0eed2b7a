"use client";

import { Button, NativeSelect, Stack, Text } from "@mantine/core";
import { IconPrinter, IconTicket } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsBoolean, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { LargeFigure } from "../_components/cards/large-figure";
import { SpendByDay } from "../_components/charts/spend-by-day";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { FIGURES_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { PageHeader } from "../_components/shell/page-header";
import { Permitted } from "../_components/shell/viewer";
import { ExportButton } from "../_components/tables/export-button";
import { ShortMoney } from "../_components/text/money";
import { useAmount } from "../_components/text/use-amount";
import { useMonthName } from "../_components/text/use-month-name";
import type { Statement } from "./billing";
import { BuyerCard } from "./buyer-card";
import { Entries } from "./entries";
import { billingParsers, chosenPeriod } from "./entry-list";
import { ModelTable } from "./model-table";
import { Pay } from "./pay";
import { StatementCard } from "./statement-card";

const RedeemDialog = onDemand(() => import("./redeem-dialog").then((module) => module.RedeemDialog));

function MonthSelect(props: { periods: string[]; period: string; onChange: (period: string) => void }) {
  const t = useTranslations("billing");
  const monthName = useMonthName();
  const [newest] = props.periods;
  return (
    <NativeSelect
      label={t("month")}
      maw={240}
      mb="lg"
      value={props.period}
      data={props.periods.map((period) => ({
        value: period,
        label: period === newest ? t("monthUnderWay", { period: monthName(period) }) : monthName(period),
      }))}
      onChange={({ currentTarget }) => props.onChange(currentTarget.value)}
    />
  );
}

function Spend({ period }: { period: string }) {
  const t = useTranslations("billing");
  const query = useQuery(useTRPC().billing.spend.queryOptions({ period }));
  if (!query.data) {
    return <QueryState query={query} lines={6} />;
  }
  const { days, models } = query.data;
  return models.length === 0 ? (
    <Text size="sm">{t("spendEmpty")}</Text>
  ) : (
    <>
      <SpendByDay period={period} spend={days} hrefOf={addresses.usage} />
      <ModelTable models={models} />
    </>
  );
}

/** The page's large figure: the money that is left, or the spend of a past month. */
function Headline({ statement }: { statement: Statement }) {
  const t = useTranslations("billing");
  const amount = useAmount("short");
  const { period, isUnderWay, available, used } = statement;
  const month = useMonthName()(period);
  return isUnderWay ? (
    <LargeFigure name={t("lines.available")} hint={t("spentSoFar", { amount: amount(used), month })}>
      <ShortMoney value={available} />
    </LargeFigure>
  ) : (
    <LargeFigure name={t("spentIn", { month })} hint={t("unused", { amount: amount(available) })}>
      <ShortMoney value={used} />
    </LargeFigure>
  );
}

function Month({ period }: { period: string }) {
  const query = useQuery(
    useTRPC().billing.statement.queryOptions(
      { period },
      { refetchInterval: ({ state }) => state.data?.isUnderWay !== false && FIGURES_MS },
    ),
  );
  return (
    <Stack gap="lg">
      {query.data ? (
        <>
          <Headline statement={query.data} />
          <StatementCard statement={query.data} />
        </>
      ) : (
        <QueryState query={query} lines={6} />
      )}
      <Spend period={period} />
      <BuyerCard />
      <Entries period={period} isArchived={query.data?.isArchived ?? false} />
    </Stack>
  );
}

/** The button and dialog to redeem a code; a link can open the dialog (`?redeem=true`). */
function Redeem() {
  const t = useTranslations("codes");
  const [isOpen, setOpen] = useQueryState(
    "redeem",
    parseAsBoolean.withDefault(false).withOptions({ history: "push" }),
  );
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTicket size={16} aria-hidden />}
        onClick={() => void setOpen(true)}
      >
        {t("redeem")}
      </Button>
      {isOpen && <RedeemDialog onClose={() => void setOpen(null, { history: "replace" })} />}
    </>
  );
}

/** A month's money, its use, and each ledger entry behind it. */
export function BillingScreen() {
  const t = useTranslations("billing");
  const shell = useTranslations("shell");
  const [chosen, setChosen] = useQueryState("month", billingParsers.month);
  const query = useQuery(useTRPC().billing.periods.queryOptions());
  const periods = query.data ?? [];
  const period = chosenPeriod(periods, chosen);
  return (
    <>
      <PageHeader
        title={shell("billing")}
        text={t("lead")}
        actions={
          period !== undefined && (
            <>
              <Permitted to="money.pay">
                <Pay />
                <Redeem />
              </Permitted>
              <Button
                component={Link}
                href={addresses.statement({ month: period })}
                variant="default"
                leftSection={<IconPrinter size={16} aria-hidden />}
              >
                {t("sheet.open")}
              </Button>
              <ExportButton href={addresses.exported("statement", { period })} />
            </>
          )
        }
      />
      {period === undefined ? (
        <QueryState query={query} lines={8} />
      ) : (
        <>
          <MonthSelect
            periods={periods}
            period={period}
            onChange={(month) => void setChosen(month === periods[0] ? null : month)}
          />
          <Month key={period} period={period} />
        </>
      )}
    </>
  );
}
