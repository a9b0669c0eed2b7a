import { Divider, Group, Paper, Stack, Text } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import type { Modality } from "@/server/domain/enums";
import { countPerPrice } from "@/server/domain/units";
import { FigureList } from "../_components/cards/figure-list";
import { compactTokens } from "../_components/text/compact-tokens";
import { Money } from "../_components/text/money";
import { useUnitName } from "../_components/text/use-unit-name";
import { classesOf, type Model } from "./model";
import { ModelActions, ModelName } from "./model-parts";
import { TrafficFigures } from "./traffic-figures";
import { VideoPrices } from "./video-prices";

/** A model on one card: who makes it, its abilities, its prices, and how it has performed. */
export function ModelCard({ model, onOpen }: { model: Model; onOpen: (id: string) => void }) {
  return (
    <Paper withBorder p="md" component="article" aria-label={model.id}>
      <Stack gap="sm" h="100%">
        <Group justify="space-between" align="flex-start" gap="xs">
          <ModelName {...model} />
          <ModelActions model={model} onOpen={onOpen} />
        </Group>
        <Abilities model={model} />
        {model.kind === "video" ? <VideoPrices {...model} /> : <CardFigures model={model} />}
        {model.traffic !== null && (
          <>
            <Divider mt="auto" />
            <TrafficFigures traffic={model.traffic} />
          </>
        )}
      </Stack>
    </Paper>
  );
}

/** The model's input and output types, and abilities that only some models have. Unknown abilities are left out. */
function Abilities({ model }: { model: Model }) {
  const t = useTranslations("models");
  const common = useTranslations("common");
  const { inputModalities: input, outputModalities: output, hasTools, hasThinking } = model;
  const named = (modalities: readonly Modality[]) =>
    modalities.map((modality) => common(`modalities.${modality}`)).join(", ");
  const abilities = [
    input && output && t("turns", { input: named(input), output: named(output) }),
    hasTools && t("tools"),
    hasThinking && t("thinking"),
  ].filter(Boolean);
  return abilities.length === 0 ? null : (
    <Text size="sm" c="dimmed">
      {abilities.join(" · ")}
    </Text>
  );
}

/** The prices of tokens and of other units, and the limits of a conversation. */
function CardFigures({ model }: { model: Model }) {
  const t = useTranslations("models");
  const format = useFormatter();
  const nameOf = useUnitName();
  const { kind, contextWindow, maxOutputTokens } = model;
  const { input, cacheRead } = model.prices;
  const prices = classesOf(model).filter(
    (name) => name === "input" || name === "output" || (name === "cacheRead" && cacheRead !== input),
  );
  const priceFigures = [
    ...prices.map((name) => ({
      id: name,
      name: t(`prices.${name}`),
      value: <Money value={model.prices[name]} />,
    })),
    ...model.unitPrices.map(({ unit, price }) => ({
      id: unit,
      name: t("unitPriced", { unit: nameOf(unit), count: countPerPrice(unit) }),
      value: <Money value={price} />,
    })),
  ];
  const limits = [
    contextWindow !== null && {
      id: "context",
      name: t("contextWindow"),
      value: <span title={format.number(contextWindow)}>{compactTokens(contextWindow)}</span>,
    },
    kind === "chat" && {
      id: "output",
      name: t("maxOutput"),
      value: <span title={format.number(maxOutputTokens)}>{compactTokens(maxOutputTokens)}</span>,
    },
  ].filter((limit) => limit !== false);
  return (
    <>
      <FigureList rows="threes" figures={priceFigures} />
      {limits.length > 0 && <FigureList rows="threes" figures={limits} />}
    </>
  );
}
