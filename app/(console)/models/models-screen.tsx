"use client";

import { Group, SegmentedControl, Stack } from "@mantine/core";
import { IconBolt } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useTranslations } from "use-intl";
import { modelKinds } from "@/server/domain/enums";
import { onDemand } from "../_components/data/on-demand";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { SearchField } from "../_components/fields/search-field";
import { EmptyState } from "../_components/tables/empty-state";
import { matching } from "./model";
import { ModelSection } from "./model-section";

const ModelDrawer = onDemand(() => import("./model-drawer").then((module) => module.ModelDrawer));

const kinds = ["all", ...modelKinds] as const;
/** The filter offers these kinds even if there is no such model yet. */
const usualKinds: readonly string[] = ["all", "chat", "embedding", "video"];

const address = {
  search: parseAsString.withDefault(""),
  kind: parseAsStringLiteral(kinds).withDefault("all"),
  /** The model whose details are open. */
  model: parseAsString,
};

/** The models on sale and their prices, with code to call them. */
export function ModelsScreen() {
  const t = useTranslations("models");
  const trpc = useTRPC();
  const [{ search, kind, model }, setAddress] = useQueryStates(address);
  const query = useQuery(trpc.models.list.queryOptions());
  const matches = matching(query.data ?? [], search);
  const shown = modelKinds.filter(
    (modelKind) =>
      (kind === "all" || kind === modelKind) && matches.some((entry) => entry.kind === modelKind),
  );
  const isEmpty = query.data?.length === 0;
  const offered = kinds.filter(
    (modelKind) =>
      usualKinds.includes(modelKind) ||
      modelKind === kind ||
      query.data?.some((entry) => entry.kind === modelKind),
  );
  return (
    <>
      <Group mb="lg" gap="sm">
        <SearchField
          label={t("searchLabel")}
          value={search}
          onChange={(text) => void setAddress({ search: text || null })}
        />
        <SegmentedControl
          aria-label={t("kind")}
          value={kind}
          onChange={(chosen) => void setAddress({ kind: chosen })}
          data={offered.map((value) => ({ value, label: t(`kinds.${value}`) }))}
          maw="100%"
          style={{ overflowX: "auto" }}
        />
      </Group>
      {!query.data && <QueryState query={query} lines={6} />}
      {query.data && shown.length === 0 && (
        <EmptyState
          icon={<IconBolt size={32} />}
          title={t(isEmpty ? "noneTitle" : "notFoundTitle")}
          text={t(isEmpty ? "noneText" : "notFoundText")}
        />
      )}
      <Stack gap="xl">
        {shown.map((modelKind) => (
          <ModelSection
            key={modelKind}
            kind={modelKind}
            models={matches.filter((entry) => entry.kind === modelKind)}
            onOpen={(id) => void setAddress({ model: id })}
          />
        ))}
      </Stack>
      <ModelDrawer
        model={query.data?.find(({ id }) => id === model) ?? null}
        onClose={() => void setAddress({ model: null })}
      />
    </>
  );
}
