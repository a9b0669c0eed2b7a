"use client";

import { Alert, Button, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle, IconRoute } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsString, useQueryState } from "nuqs";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { onDemand } from "../../_components/data/on-demand";
import { QueryState } from "../../_components/data/query-state";
import { useTRPC } from "../../_components/data/trpc";
import { EmptyState } from "../../_components/tables/empty-state";
import { RouteTiers } from "./route-tiers";

const HEALTH_MS = 5_000;

function ComingSelect() {
  const t = useTranslations("channels");
  return <TextInput disabled maw={420} label={t("routesModel")} placeholder={t("routesPlaceholder")} />;
}

// Loaded on demand: the search field is larger than the rest of the page.
const ModelSelect = onDemand(
  () => import("./model-select").then((module) => module.ModelSelect),
  ComingSelect,
);

/** The channels that take a model's calls. The address names the model. */
export function RoutesScreen() {
  const t = useTranslations("channels");
  const [model, setModel] = useQueryState("model", parseAsString.withDefault(""));
  const choices = useQuery(useTRPC().channels.choices.queryOptions());
  return (
    <Stack>
      <ModelSelect
        models={choices.data?.models ?? []}
        value={model}
        onChange={(chosen) => void setModel(chosen)}
      />
      {model === "" ? (
        <EmptyState
          icon={<IconRoute size={32} />}
          title={t("routesChooseTitle")}
          text={t("routesChooseText")}
        />
      ) : (
        <ModelRoutes modelId={model} />
      )}
    </Stack>
  );
}

function ModelRoutes({ modelId }: { modelId: string }) {
  const t = useTranslations("channels");
  const query = useQuery(useTRPC().channels.routes.queryOptions({ modelId }, { refetchInterval: HEALTH_MS }));
  if (!query.data) {
    return <QueryState query={query} />;
  }
  const { model, tiers } = query.data;
  return (
    <Stack>
      {!model?.isEnabled && (
        <Alert color="orange" icon={<IconAlertTriangle aria-hidden />}>
          {t(model ? "routesDisabled" : "routesUnknown")}
        </Alert>
      )}
      {tiers.length === 0 ? (
        <EmptyState
          icon={<IconRoute size={32} />}
          title={t("routesNoneTitle")}
          text={t("routesNoneText")}
          action={
            <Button component={Link} href={addresses.channels()} variant="default">
              {t("backToList")}
            </Button>
          }
        />
      ) : (
        <>
          {model && model.routing !== "weight" && <Text size="sm">{t(`routesBy.${model.routing}`)}</Text>}
          <RouteTiers
            tiers={tiers}
            kind={model?.kind ?? null}
            hasShares={!["fastest", "cheapest"].includes(model?.routing ?? "weight")}
          />
        </>
      )}
    </Stack>
  );
}
