"use client";

import { SimpleGrid, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { SpendByDay } from "../_components/charts/spend-by-day";
import { SpendToday } from "../_components/charts/spend-today";
import { QueryState } from "../_components/data/query-state";
import { FIGURES_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
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

/** An account's money, its spend, and what needs its attention. */
export function OwnerOverview() {
  return (
    <Stack gap="lg">
      <Today />
      <MonthCard />
      <FirstStepsCard />
      <Spend />
      <TopKeys />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <OpenTasks />
        <Failures />
      </SimpleGrid>
    </Stack>
  );
}
