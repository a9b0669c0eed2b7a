import { Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { addresses } from "@/app/addresses";
import { daysLater, startOfDay } from "@/server/domain/days";
import { SpendByDay } from "../../_components/charts/spend-by-day";
import type { HrefOfDays } from "../../_components/charts/spend-series";
import { SpendToday } from "../../_components/charts/spend-today";
import { QueryState } from "../../_components/data/query-state";
import { FIGURES_MS } from "../../_components/data/refresh";
import { useTRPC } from "../../_components/data/trpc";
import { useInstallation } from "../../_components/text/installation";

/** The key's spend today and in the last 30 days. `children` are between the figure and the chart. */
export function KeyDays({ keyId, children }: { keyId: string; children: ReactNode }) {
  const { billingTimeZone } = useInstallation();
  const query = useQuery(useTRPC().keys.days.queryOptions({ keyId }, { refetchInterval: FIGURES_MS }));
  const requestsOf: HrefOfDays = ({ from, to }) =>
    addresses.requests({
      key: keyId,
      from: startOfDay(from, billingTimeZone).toISOString(),
      until: startOfDay(daysLater(to, 1), billingTimeZone).toISOString(),
    });
  return (
    <Stack gap="lg">
      {query.data && (
        <SpendToday days={query.data} hrefOf={(today) => requestsOf({ from: today, to: today })} />
      )}
      {children}
      {query.data ? (
        <SpendByDay spend={query.data} hrefOf={requestsOf} />
      ) : (
        <QueryState query={query} lines={6} />
      )}
    </Stack>
  );
}
