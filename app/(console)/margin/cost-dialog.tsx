import { Button, Group, NativeSelect, SimpleGrid, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { useInstallation } from "../_components/text/installation";
import { FormDialog } from "../_forms/form-dialog";
import { priceProblem } from "../prices/draft-problems";
import { usePriceName } from "../prices/use-price-name";
import { type CostSources, costsOf, filled, LIST, namesOf, type TypedCosts, typedOf } from "./cost-draft";

type Props = { modelId: string; channelId?: string | undefined; onClose: () => void };

/** Where costs are taken from, times a factor: the list, or another channel. */
function FillFields({ sources, onFill }: { sources: CostSources; onFill: (costs: TypedCosts) => void }) {
  const t = useTranslations("margin");
  const { currency: own } = useInstallation();
  const offered = [...sources.byChannel.keys()];
  const [from, setFrom] = useState(sources.list ? LIST : (offered[0] ?? ""));
  const [factor, setFactor] = useState("1");
  const [rate, setRate] = useState("");
  const currency = sources.list?.currency ?? own;
  const isForeign = from === LIST && currency !== own;
  const costs = filled(sources, { from, factor, rate: isForeign ? rate : "1" });
  if (!sources.list && offered.length === 0) {
    return null;
  }
  const texts = { inputMode: "decimal", autoComplete: "off", maxLength: 20, w: 110 } as const;
  return (
    <Group align="flex-end" gap="xs">
      <NativeSelect
        flex="1 1 10rem"
        label={t("fillFrom")}
        value={from}
        onChange={({ currentTarget }) => setFrom(currentTarget.value)}
        data={[
          ...(sources.list ? [{ value: LIST, label: t("listPrice") }] : []),
          ...offered.map((id) => ({
            value: id,
            label: t("sameAs", { channel: sources.names.get(id) ?? id }),
          })),
        ]}
      />
      <TextInput
        {...texts}
        label={t("times")}
        value={factor}
        onChange={({ currentTarget }) => setFactor(currentTarget.value)}
      />
      {isForeign && (
        <TextInput
          {...texts}
          label={t("rateOf", { currency })}
          value={rate}
          onChange={({ currentTarget }) => setRate(currentTarget.value)}
        />
      )}
      <Button variant="default" disabled={costs === null} onClick={() => costs && onFill(costs)}>
        {t("fill")}
      </Button>
    </Group>
  );
}

function useSources({ modelId }: Pick<Props, "modelId">) {
  const { prices, channels } = useTRPC();
  const routes = useQuery(channels.routes.queryOptions({ modelId }));
  const entered = useQuery(prices.costs.queryOptions({ modelId }));
  const grid = useQuery(prices.grid.queryOptions({}));
  return { routes, entered, grid };
}

/** Enters what a channel charges for a model, by name of price. */
export function CostDialog({ modelId, channelId, onClose }: Props) {
  const t = useTranslations("margin");
  const { currency } = useInstallation();
  const priceName = usePriceName();
  const problems = useTranslations("prices.problems");
  const { routes, entered, grid } = useSources({ modelId });
  const [chosen, setChosen] = useState(channelId ?? "");
  const [typed, setTyped] = useState<TypedCosts | null>(null);
  const save = useMutation(
    useTRPC().prices.setCosts.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ channel }) => {
        notifications.show({ message: t("costSaved", { model: modelId, channel }), role: "status" });
        onClose();
      },
    }),
  );
  const ways = routes.data?.tiers.flatMap((tier) => tier.ways) ?? [];
  const at = ways.some((way) => way.channelId === chosen) ? chosen : (ways[0]?.channelId ?? "");
  const rows = grid.data?.filter((row) => row.modelId === modelId) ?? [];
  const costs = typed ?? typedOf(entered.data?.find((row) => row.channelId === at)?.prices ?? []);
  const names = namesOf(rows, costs);
  const sources: CostSources = {
    list: rows.some(({ list }) => list)
      ? { currency: rows.find(({ list }) => list)?.list?.currency ?? "", rows }
      : null,
    byChannel: new Map(
      (entered.data ?? []).flatMap((row) => (row.channelId === at ? [] : [[row.channelId, row.prices]])),
    ),
    names: new Map((entered.data ?? []).map((row) => [row.channelId, row.channel])),
  };
  const isReady = at !== "" && names.every((name) => priceProblem(costs[name] ?? "") === null);
  return (
    <FormDialog
      title={t("costTitle", { model: modelId })}
      action={t("costSave")}
      isReady={isReady}
      change={save}
      onSubmit={() => save.mutate({ channelId: at, modelId, prices: costsOf(costs) })}
      onClose={onClose}
    >
      {!(routes.data && entered.data && grid.data) && <QueryState query={routes.data ? grid : routes} />}
      {routes.data && ways.length === 0 && <Text size="sm">{t("costNoChannel")}</Text>}
      {routes.data && entered.data && grid.data && ways.length > 0 && (
        <>
          <NativeSelect
            label={t("groups.channel")}
            data={ways.map((way) => ({ value: way.channelId, label: way.name }))}
            value={at}
            onChange={({ currentTarget }) => {
              setChosen(currentTarget.value);
              setTyped(null);
            }}
          />
          <FillFields key={at} sources={sources} onFill={(costs_) => setTyped({ ...costs, ...costs_ })} />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            {names.map((name) => {
              const problem = priceProblem(costs[name] ?? "");
              return (
                <TextInput
                  key={name}
                  inputMode="decimal"
                  autoComplete="off"
                  maxLength={30}
                  label={`${priceName(name)} (${currency})`}
                  value={costs[name] ?? ""}
                  error={problem && problems(problem)}
                  onChange={({ currentTarget }) => setTyped({ ...costs, [name]: currentTarget.value })}
                />
              );
            })}
          </SimpleGrid>
          <Text size="sm" c="dimmed">
            {t("costHint")}
          </Text>
        </>
      )}
    </FormDialog>
  );
}
