"use client";

import { Button, Skeleton, Stack } from "@mantine/core";
import { IconCoin, IconRoute } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsString, useQueryState } from "nuqs";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { statusOf } from "../../_components/data/failure";
import { onDemand } from "../../_components/data/on-demand";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { BackLink } from "../../_components/shell/back-link";
import { PageHeader } from "../../_components/shell/page-header";
import { ChangeFields, Permitted } from "../../_components/shell/viewer";
import { EmptyState } from "../../_components/tables/empty-state";
import { ModelTraffic } from "./model-traffic";
import { PriceHistory } from "./price-history";
import { SoldBelowCost } from "./sold-below-cost";

const StoredEditor = onDemand(
  () => import("./stored-editor").then((module) => module.StoredEditor),
  () => <Skeleton height={320} />,
);

export function ModelScreen() {
  const t = useTranslations("prices");
  const shell = useTranslations("shell");
  const [id] = useQueryState("id", parseAsString.withDefault(""));
  const query = useQuery(useTRPC().prices.get.queryOptions({ id }));
  // A save remounts the form with the saved values.
  const [saves, setSaves] = useState(0);
  const isMissing = query.error !== null && statusOf(query.error) === 400;
  const route = (
    <Permitted to="channels.read">
      <Button
        component={Link}
        href={addresses.routes({ model: id })}
        variant="default"
        leftSection={<IconRoute size={16} aria-hidden />}
      >
        {t("route")}
      </Button>
    </Permitted>
  );
  return (
    <>
      <BackLink href={addresses.prices()}>{t("backToList")}</BackLink>
      <PageHeader title={query.data?.id ?? shell("prices")} actions={query.data && route} />
      {query.data && <SoldBelowCost modelId={query.data.id} />}
      {query.data && (
        <ChangeFields to="prices.write">
          <StoredEditor key={saves} model={query.data} onSaved={() => setSaves(saves + 1)} />
        </ChangeFields>
      )}
      {query.data && (
        <Stack mt="md">
          {query.data.kind !== "video" && <ModelTraffic modelId={query.data.id} />}
          <PriceHistory modelId={query.data.id} />
        </Stack>
      )}
      {isMissing && (
        <EmptyState icon={<IconCoin size={32} />} title={t("missingTitle")} text={t("missingText")} />
      )}
      {!query.data && !isMissing && <QueryState query={query} lines={8} />}
    </>
  );
}
