"use client";

import { Button, SimpleGrid, Stack } from "@mantine/core";
import { IconScale } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useQueryStates } from "nuqs";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { marginGroups } from "@/server/domain/enums";
import { Card } from "../_components/cards/card";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { SUMS_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { SpanFields } from "../_components/fields/span-fields";
import { PageHeader } from "../_components/shell/page-header";
import { Permitted, useMay } from "../_components/shell/viewer";
import { EmptyState } from "../_components/tables/empty-state";
import { SavedViewsMenu } from "../_components/tables/saved-views-menu";
import { CostTable } from "./cost-table";
import { type Margin, marginParsers, marginQuery, viewParsers } from "./margin-filter";
import { MarginTable } from "./margin-table";
import { MarginTotals } from "./margin-totals";

const ImportDialog = onDemand(() => import("./import-dialog").then((module) => module.ImportDialog));

function Earned({ margin }: { margin: Margin }) {
  const t = useTranslations("margin");
  return (
    <>
      <MarginTotals margin={margin} />
      {margin.rows.length > 0 && (
        <Card title={t(`groups.${margin.by}`)} text={t("tableText")}>
          <MarginTable margin={margin} />
        </Card>
      )}
    </>
  );
}

function Costs() {
  const t = useTranslations("margin");
  const prices = useTranslations("prices");
  const query = useQuery(useTRPC().prices.costs.queryOptions({}));
  if (!query.data) {
    return <QueryState query={query} lines={4} />;
  }
  return query.data.length === 0 ? (
    <EmptyState
      icon={<IconScale size={32} />}
      title={t("emptyTitle")}
      text={t("emptyText")}
      doc="operating"
      action={
        <Permitted to="prices.write">
          <Button component={Link} href={addresses.priceGrid()} variant="default">
            {prices("gridTitle")}
          </Button>
        </Permitted>
      }
    />
  ) : (
    <Card title={t("costPrices")} text={t("costText")}>
      <CostTable rows={query.data} />
    </Card>
  );
}

/** Charges, costs and margin of a span, and the cost prices. */
export function MarginScreen() {
  const t = useTranslations("margin");
  const shell = useTranslations("shell");
  const mayChange = useMay("prices.write");
  const [parameters, setParameters] = useQueryStates(marginParsers);
  const query = useQuery({ ...marginQuery(useTRPC(), parameters), refetchInterval: SUMS_MS });
  const action = (
    <Permitted to="prices.write">
      <Button onClick={() => void setParameters({ import: true }, { history: "push" })}>{t("import")}</Button>
    </Permitted>
  );
  return (
    <>
      <PageHeader
        title={shell("margin")}
        text={t("lead")}
        actions={
          <>
            <SavedViewsMenu
              list="margin"
              parsers={viewParsers}
              parameters={parameters}
              onChange={setParameters}
            />
            {action}
          </>
        }
      />
      <Stack gap="lg">
        <SimpleGrid cols={{ base: 2, md: 4 }} spacing="sm" role="search">
          <SpanFields parameters={parameters} onChange={setParameters} />
          <ChoiceSelect
            label={t("by")}
            choices={marginGroups}
            nameOf={(choice) => t(`groups.${choice}`)}
            value={parameters.by}
            onChange={(by) => void setParameters({ by })}
          />
        </SimpleGrid>
        {query.data ? <Earned margin={query.data} /> : <QueryState query={query} lines={8} />}
        <Costs />
      </Stack>
      {parameters.import && mayChange && (
        <ImportDialog onClose={() => void setParameters({ import: null }, { history: "replace" })} />
      )}
    </>
  );
}
