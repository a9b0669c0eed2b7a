import { Group, SimpleGrid, Title } from "@mantine/core";
import { useTranslations } from "use-intl";
import type { ModelKind } from "@/server/domain/enums";
import { Dimmed } from "../_components/tables/dimmed";
import type { Model } from "./model";
import { ModelCard } from "./model-card";

type Props = { kind: ModelKind; models: Model[]; onOpen: (id: string) => void };

/** The models of one kind, as cards. */
export function ModelSection({ kind, models, onOpen }: Props) {
  const t = useTranslations("models");
  return (
    <section aria-labelledby={`models-${kind}`}>
      <Group justify="space-between" align="baseline" mb="sm" gap="xs">
        <Title order={2} size="h4" id={`models-${kind}`}>
          {t(`kinds.${kind}`)}
        </Title>
        <Dimmed>{t(`pricedPer.${kind}`)}</Dimmed>
      </Group>
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }}>
        {models.map((model) => (
          <ModelCard key={model.id} model={model} onOpen={onOpen} />
        ))}
      </SimpleGrid>
    </section>
  );
}
