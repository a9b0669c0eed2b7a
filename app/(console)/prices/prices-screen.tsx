"use client";

import { Button, Group, Stack, TextInput } from "@mantine/core";
import {
  IconCoin,
  IconDiscount2,
  IconFileSpreadsheet,
  IconPlus,
  IconSearch,
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
import { ChoiceSelect } from "../_components/fields/choice-select";
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
  const groups = (
    <Button
      component={Link}
      href={addresses.priceGroups()}
      variant="default"
      leftSection={<IconDiscount2 size={16} aria-hidden />}
    >
      {useTranslations("priceGroups")("title")}
    </Button>
  );
  const create = (
    <Permitted to="prices.write">
      <Button
        component={Link}
        href={addresses.priceGrid()}
        variant="default"
        leftSection={<IconTable size={16} aria-hidden />}
      >
        {t("gridTitle")}
      </Button>
      <Button
        component={Link}
        href={addresses.priceFile()}
        variant="default"
        leftSection={<IconFileSpreadsheet size={16} aria-hidden />}
      >
        {t("fileTitle")}
      </Button>
      <Button
        component={Link}
        href={addresses.importPrices()}
        variant="default"
        leftSection={<IconTags size={16} aria-hidden />}
      >
        {t("importLists")}
      </Button>
      <Button component={Link} href={addresses.newPrice()} leftSection={<IconPlus size={16} aria-hidden />}>
        {t("create")}
      </Button>
    </Permitted>
  );
  return (
    <>
      <PageHeader
        title={shell("prices")}
        text={t("lead")}
        actions={
          <>
            {groups}
            {create}
          </>
        }
      />
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
      <Group gap="sm" role="search">
        <TextInput
          flex="1 1 16rem"
          maw={420}
          aria-label={t("search")}
          placeholder={t("search")}
          leftSection={<IconSearch size={16} aria-hidden />}
          maxLength={100}
          value={filter.search}
          onChange={(event) => void setFilter({ search: event.currentTarget.value })}
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
