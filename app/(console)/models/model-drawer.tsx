import { Anchor, Button, Drawer, Group, Stack, Text, Title } from "@mantine/core";
import { IconMessageCircle } from "@tabler/icons-react";
import Link from "next/link";
import type { ReactNode } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import type { Modality } from "@/server/domain/enums";
import { countPerPrice } from "@/server/domain/units";
import { useMay } from "../_components/shell/viewer";
import { CopyButton } from "../_components/snippets/copy-button";
import type { SnippetCall } from "../_components/snippets/snippet-templates";
import { Snippets } from "../_components/snippets/snippets";
import { Money } from "../_components/text/money";
import { useUnitName } from "../_components/text/use-unit-name";
import { usePriceName } from "../prices/use-price-name";
import { classesOf, type Model, playgroundHref } from "./model";
import { TrafficFigures } from "./traffic-figures";
import { VideoPrices } from "./video-prices";

/** A model's prices in full, and code to call it. `model`: null when closed. */
export function ModelDrawer({ model, onClose }: { model: Model | null; onClose: () => void }) {
  const t = useTranslations("common");
  return (
    <Drawer
      opened={model !== null}
      onClose={onClose}
      position="right"
      size="lg"
      title={model && <ModelTitle id={model.id} />}
      closeButtonProps={{ "aria-label": t("close") }}
    >
      {model && <ModelDetails model={model} />}
    </Drawer>
  );
}

function ModelTitle({ id }: { id: string }) {
  const t = useTranslations("models");
  return (
    <Group gap={4} wrap="nowrap">
      <Text fw={650} fz="lg" component="span" className="wrap-anywhere">
        {id}
      </Text>
      <CopyButton value={id} label={t("copyId", { id })} />
    </Group>
  );
}

function ModelDetails({ model }: { model: Model }) {
  const t = useTranslations("models");
  const isVideo = model.kind === "video";
  const href = useMay("calls.make") ? playgroundHref(model) : null;
  return (
    <Stack gap="lg">
      <Facts model={model} />
      <Stack gap="xs">
        <Title order={3} size="h5">
          {t(`pricedPer.${model.kind}`)}
        </Title>
        {isVideo ? <VideoPrices {...model} /> : <TokenPrices model={model} />}
      </Stack>
      {!isVideo && (
        <Stack gap="xs">
          <Title order={3} size="h5">
            {t("traffic.title")}
          </Title>
          <TrafficFigures traffic={model.traffic} />
        </Stack>
      )}
      <Stack gap="xs">
        <Title order={3} size="h5">
          {t("code")}
        </Title>
        <Text size="sm">
          {t.rich("keyNote", {
            code: (chunks) => <code>{chunks}</code>,
            keys: (chunks) => (
              <Anchor component={Link} href={addresses.keys()} inherit underline="always">
                {chunks}
              </Anchor>
            ),
          })}
        </Text>
        <Snippets key={model.id} secret={null} model={model.id} {...exampleOf(model)} />
        {isVideo && <Text size="sm">{t.rich("taskNote", { code: (chunks) => <code>{chunks}</code> })}</Text>}
      </Stack>
      {href !== null && (
        <Button
          component={Link}
          href={href}
          leftSection={<IconMessageCircle size={16} aria-hidden />}
          variant="default"
        >
          {t("tryIn")}
        </Button>
      )}
    </Stack>
  );
}

/** An example call that the model can answer. */
function exampleOf({ kind, videoPrices: [sold] }: Model): SnippetCall {
  if (kind !== "video") {
    return { kind };
  }
  return { kind, ...(sold && { duration: sold.durationSeconds, resolution: sold.resolution }) };
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Group justify="space-between" gap="md" wrap="nowrap" data-figure>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} ta="end">
        {children}
      </Text>
    </Group>
  );
}

/** The model's known facts. */
function Facts({ model }: { model: Model }) {
  const t = useTranslations("models");
  const common = useTranslations("common");
  const format = useFormatter();
  const named = (modalities: readonly Modality[]) =>
    format.list(modalities.map((modality) => common(`modalities.${modality}`)));
  return (
    <Stack component="dl" gap={6} m={0}>
      <Row name={t("kind")}>{t(`kinds.${model.kind}`)}</Row>
      <Row name={t("owner")}>{model.ownedBy}</Row>
      {model.contextWindow !== null && (
        <Row name={t("contextWindow")}>{format.number(model.contextWindow)}</Row>
      )}
      {model.kind === "chat" && <Row name={t("maxOutput")}>{format.number(model.maxOutputTokens)}</Row>}
      {model.inputModalities && <Row name={t("takes")}>{named(model.inputModalities)}</Row>}
      {model.outputModalities && <Row name={t("answersWith")}>{named(model.outputModalities)}</Row>}
      {model.hasTools !== null && <Row name={t("tools")}>{common(model.hasTools ? "yes" : "no")}</Row>}
      {model.hasThinking !== null && (
        <Row name={t("thinking")}>{common(model.hasThinking ? "yes" : "no")}</Row>
      )}
    </Stack>
  );
}

function TokenPrices({ model }: { model: Model }) {
  const t = useTranslations("models");
  const nameOfUnit = useUnitName();
  const nameOfPrice = usePriceName();
  return (
    <Stack component="dl" gap={6} m={0}>
      {classesOf(model).map((name) => (
        <Row key={name} name={t(`prices.${name}`)}>
          <Money value={model.prices[name]} />
        </Row>
      ))}
      {model.unitPrices.map(({ unit, price }) => (
        <Row key={unit} name={t("unitPriced", { unit: nameOfUnit(unit), count: countPerPrice(unit) })}>
          <Money value={price} />
        </Row>
      ))}
      {model.conditionalPrices.map(({ name, price }) => (
        <Row key={name} name={nameOfPrice(name)}>
          <Money value={price} />
        </Row>
      ))}
    </Stack>
  );
}
