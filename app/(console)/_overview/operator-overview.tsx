"use client";

import { SimpleGrid, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { SpendByDay } from "../_components/charts/spend-by-day";
import { QueryState } from "../_components/data/query-state";
import { FIGURES_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { Permitted } from "../_components/shell/viewer";
import { AttentionCard } from "./attention";
import { EarningsCard } from "./earnings";
import { Figures } from "./figures";
import { LastChanges } from "./last-changes";
import { MissedPaths } from "./missed-paths";
import { OperatorSteps } from "./operator-steps";
import type { Business } from "./overview";
import { TopList } from "./top-list";

function Tops({ business }: { business: Business }) {
  const t = useTranslations("overview");
  return (
    <>
      <TopList
        title={t("topAccounts")}
        link={{ href: addresses.accounts(), text: t("allAccounts") }}
        rows={business.topAccounts.map(({ accountId, name, amount }) => ({
          id: accountId,
          name,
          href: addresses.account(accountId),
          amount,
        }))}
      />
      <TopList
        title={t("topModels")}
        link={{ href: addresses.prices(), text: t("allModels") }}
        rows={business.topModels.map(({ modelId, amount }) => ({
          id: modelId,
          name: modelId || t("noModelName"),
          href: addresses.allRequests({ model: modelId }),
          amount,
        }))}
      />
    </>
  );
}

/** The business at a glance, and the problems that need attention. */
export function OperatorOverview() {
  const query = useQuery(
    useTRPC().overview.business.queryOptions(undefined, { refetchInterval: FIGURES_MS }),
  );
  const business = query.data;
  return (
    <Stack gap="lg">
      <OperatorSteps />
      {business ? <Figures business={business} /> : <QueryState query={query} lines={6} />}
      <Permitted to="costs.read">
        <EarningsCard />
      </Permitted>
      <AttentionCard />
      {business && <SpendByDay spend={business.days} hrefOf={addresses.allUsage} />}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        {business && <Tops business={business} />}
      </SimpleGrid>
      <MissedPaths />
      <Permitted to="audit.read">
        <LastChanges />
      </Permitted>
    </Stack>
  );
}
