"use client";

import { Anchor, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { LargeFigure } from "../_components/cards/large-figure";
import { displayedAvailable } from "../_components/charts/available-amount";
import { SpendByDay } from "../_components/charts/spend-by-day";
import { SpendToday } from "../_components/charts/spend-today";
import { QueryState } from "../_components/data/query-state";
import { FIGURES_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { ShortMoney } from "../_components/text/money";
import { useAmount } from "../_components/text/use-amount";
import { last30Days } from "../usage/unusual";
import { UnusualDayNote } from "../usage/unusual-day";
import { Failures } from "./failures";
import { FirstStepsCard } from "./first-steps";
import { MonthCard } from "./month-card";
import { OpenTasks } from "./open-tasks";
import { topKeys } from "./overview";
import { TopList } from "./top-list";

const FEW = 5;

/**
 * The keys with the highest spend this month. Hidden while fewer than two keys have charges: one key is the whole
 * month.
 */
function TopKeys() {
  const t = useTranslations("overview");
  const usage = useTranslations("usage");
  const { data } = useQuery(useTRPC().usage.show.queryOptions(topKeys, { refetchInterval: FIGURES_MS }));
  const rows = (data?.rows ?? []).filter(({ calls }) => calls > 0);
  return (
    rows.length > 1 && (
      <TopList
        title={t("topKeys")}
        link={{ href: addresses.usage(topKeys), text: t("allKeys") }}
        rows={rows.slice(0, FEW).map(({ id, name, amount }) => ({
          id,
          name: name || id || usage("nameless.key"),
          href: addresses.key(id),
          amount,
        }))}
      />
    )
  );
}

function Today() {
  const { data } = useQuery(useTRPC().overview.days.queryOptions());
  return data && <SpendToday days={data} hrefOf={(day) => addresses.usage({ from: day, to: day })} />;
}

function Spend() {
  const trpc = useTRPC();
  const days = useQuery(trpc.overview.days.queryOptions(undefined, { refetchInterval: FIGURES_MS }));
  if (!days.data) {
    return <QueryState query={days} lines={6} />;
  }
  return (
    <SpendByDay
      spend={days.data}
      hrefOf={addresses.usage}
      note={<UnusualDayNote side="owner" account={null} span={last30Days} />}
    />
  );
}

/** The money that is left of the month. */
function Available() {
  const t = useTranslations("overview");
  const amount = useAmount("short");
  const { data: month } = useQuery(useTRPC().overview.month.queryOptions());
  return (
    month && (
      <LargeFigure
        name={
          <Anchor component={Link} href={addresses.billing()} inherit>
            {t("available")}
          </Anchor>
        }
        hint={t("spentSoFar", { amount: amount(month.used) })}
      >
        <ShortMoney value={displayedAvailable(month)} exact={month.available} decimals={2} />
      </LargeFigure>
    )
  );
}

/** An account's money, its spend, and what needs its attention. */
export function OwnerOverview() {
  return (
    <Stack gap="lg">
      <div className="headlines">
        <Today />
        <Available />
      </div>
      <MonthCard />
      <FirstStepsCard />
      <Spend />
      <div className="cards">
        <TopKeys />
        <OpenTasks />
        <Failures />
      </div>
    </Stack>
  );
}
