"use client";

import { Button, Group, Stack } from "@mantine/core";
import {
  IconArrowsSort,
  IconCoin,
  IconDiscount2,
  IconFileSpreadsheet,
  IconPlus,
  IconTable,
  IconTags,
} from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { ActionMenu } from "../_components/fields/action-menu";
import { ChoiceSelect } from "../_components/fields/choice-select";
import { SearchField } from "../_components/fields/search-field";
import { PageHeader } from "../_components/shell/page-header";
import { Permitted } from "../_components/shell/viewer";
import { EmptyState } from "../_components/tables/empty-state";
import { NoMatch } from "../_components/tables/no-match";
import { type CatalogModel, catalogFilters, isListed } from "./catalog";
import { CatalogWarnings } from "./catalog-warnings";
import { PriceTable } from "./price-table";
import { ScheduledPrices } from "./scheduled-prices";

export function PricesScreen() {
  const t = useTranslations("prices");
  const shell = useTranslations("shell");
  const query = useQuery(useTRPC().prices.list.queryOptions());
  const groupsTitle = useTranslations("priceGroups")("title");
  const create = (
    <Permitted to="prices.write">
      <Button component={Link} href={addresses.newPrice()} leftSection={<IconPlus size={16} aria-hidden />}>
        {t("create")}
      </Button>
    </Permitted>
  );
  const actions = (
    <>
      <Permitted to="prices.write">
        <ActionMenu
          isNamed
          label={t("transfer")}
          icon={<IconArrowsSort size={16} aria-hidden />}
          entries={[
            { label: t("fileTitle"), icon: IconFileSpreadsheet, href: addresses.priceFile() },
            { label: t("importLists"), icon: IconTags, href: addresses.importPrices() },
          ]}
        />
      </Permitted>
      <Button
        component={Link}
        href={addresses.priceGroups()}
        variant="default"
        leftSection={<IconDiscount2 size={16} aria-hidden />}
      >
        {groupsTitle}
      </Button>
      <Permitted to="prices.write">
        <Button
          component={Link}
          href={addresses.priceGrid()}
          variant="default"
          leftSection={<IconTable size={16} aria-hidden />}
        >
          {t("gridTitle")}
        </Button>
      </Permitted>
      {create}
    </>
  );
  return (
    <>
      <PageHeader title={shell("prices")} text={t("lead")} actions={actions} />
      {query.data ? (
        <Stack>
          <CatalogWarnings {...query.data} />
          <ScheduledPrices />
          {query.data.models.length === 0 ? (
            <EmptyState
              icon={<IconCoin size={32} />}
              title={t("emptyTitle")}
              text={t("emptyText")}
              action={create}
            />
          ) : (
            <Models models={query.data.models} />
          )}
        </Stack>
      ) : (
        <QueryState query={query} lines={8} />
      )}
    </>
  );
}

/** The list of models, filtered by the address. */
function Models({ models }: { models: CatalogModel[] }) {
  const t = useTranslations("prices");
  const [filter, setFilter] = useQueryStates({
    search: parseAsString.withDefault(""),
    show: parseAsStringLiteral(catalogFilters),
  });
  const listed = models.filter((model) => isListed(model, filter));
  return (
    <>
      <Group gap="sm" role="search" className="filters">
        <SearchField
          label={t("search")}
          value={filter.search}
          onChange={(search) => void setFilter({ search })}
        />
        <ChoiceSelect
          w={180}
          aria-label={t("show")}
          any={t("showAll")}
          choices={catalogFilters}
          nameOf={(show) => t(`shows.${show}`)}
          value={filter.show}
          onChange={(show) => void setFilter({ show })}
        />
      </Group>
      {listed.length > 0 ? (
        <PriceTable models={listed} />
      ) : (
        <NoMatch
          title={t("noMatchTitle")}
          text={t("noMatchText")}
          onClear={() => void setFilter({ search: "", show: null })}
        />
      )}
    </>
  );
}
