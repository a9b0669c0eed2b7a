import { Group, Paper, SimpleGrid, Title } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import type { ModelKind } from "@/server/domain/enums";
import { countPerPrice } from "@/server/domain/units";
import { type Column, DataTable } from "../_components/tables/data-table";
import { Dimmed } from "../_components/tables/dimmed";
import { Money } from "../_components/text/money";
import { useAmount } from "../_components/text/use-amount";
import { useUnitName } from "../_components/text/use-unit-name";
import type { Model } from "./model";
import { ModelActions, ModelName } from "./model-parts";
import { VideoPrices } from "./video-prices";

type Listing = { models: Model[]; onOpen: (id: string) => void };

/** The models of one kind: each kind has other price columns. */
export function ModelSection({ kind, ...listing }: Listing & { kind: ModelKind }) {
  const t = useTranslations("models");
  return (
    <section aria-labelledby={`models-${kind}`}>
      <Group justify="space-between" align="baseline" mb="sm" gap="xs">
        <Title order={2} size="h4" id={`models-${kind}`}>
          {t(`kinds.${kind}`)}
        </Title>
        <Dimmed>{t(`pricedPer.${kind}`)}</Dimmed>
      </Group>
      {kind === "video" ? <VideoCards {...listing} /> : <PriceTable kind={kind} {...listing} />}
    </section>
  );
}

/** The prices of units other than tokens, one per line. */
function UnitPrices({ unitPrices }: Pick<Model, "unitPrices">) {
  const t = useTranslations("models");
  const amount = useAmount();
  const nameOf = useUnitName();
  return (
    <div>
      {unitPrices.map(({ unit, price }) => (
        <div key={unit}>
          {t("unitPrice", { price: amount(price), unit: nameOf(unit), of: countPerPrice(unit) })}
        </div>
      ))}
    </div>
  );
}

function VideoCards({ models, onOpen }: Listing) {
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }}>
      {models.map((model) => (
        <Paper key={model.id} withBorder p="md">
          <Group justify="space-between" mb="sm" gap="xs">
            <ModelName {...model} />
            <ModelActions model={model} onOpen={onOpen} />
          </Group>
          <VideoPrices {...model} />
        </Paper>
      ))}
    </SimpleGrid>
  );
}

function PriceTable({ kind, models, onOpen }: Listing & { kind: Exclude<ModelKind, "video"> }) {
  const t = useTranslations("models");
  const format = useFormatter();
  const price = (name: keyof Model["prices"]): Column<Model> => ({
    id: name,
    header: t(`prices.${name}`),
    isFigure: true,
    cell: (model) => <Money value={model.prices[name]} />,
  });
  const maxOutput: Column<Model> = {
    id: "maxOutput",
    header: t("maxOutput"),
    isFigure: true,
    cell: (model) => format.number(model.maxOutputTokens),
  };
  const contextWindow: Column<Model> = {
    id: "contextWindow",
    header: t("contextWindow"),
    isFigure: true,
    cell: ({ contextWindow: tokens }) => (tokens === null ? "—" : format.number(tokens)),
  };
  const others: Column<Model> = {
    id: "units",
    header: t("unitPrices"),
    cell: (model) => <UnitPrices {...model} />,
  };
  const figures: Record<typeof kind, Column<Model>[]> = {
    chat: [price("input"), price("cacheRead"), price("output"), contextWindow, maxOutput],
    embedding: [price("input")],
    image: [price("input"), price("output"), others],
    speech: [others],
    transcription: [price("input"), price("output"), others],
    rerank: [price("input"), others],
    moderation: [others],
  };
  const columns: Column<Model>[] = [
    { id: "id", header: t("model"), isRowHeader: true, cell: (model) => <ModelName {...model} /> },
    ...figures[kind],
    {
      id: "actions",
      header: t("use"),
      isFigure: true,
      cell: (model) => <ModelActions model={model} onOpen={onOpen} />,
    },
  ];
  return <DataTable label={t(`kinds.${kind}`)} columns={columns} rows={models} rowId={({ id }) => id} />;
}
