import { Text } from "@mantine/core";
import { useFormatter, useTranslations } from "use-intl";
import { FigureList } from "../_components/cards/figure-list";
import { useDuration } from "../requests/use-duration";
import type { Model } from "./model";

/** A model's latency, throughput and uptime, from all traffic of the installation. */
export function TrafficFigures({ traffic }: Pick<Model, "traffic">) {
  const t = useTranslations("models.traffic");
  const format = useFormatter();
  const duration = useDuration();
  if (traffic === null) {
    return (
      <Text size="xs" c="dimmed">
        {t("tooFew")}
      </Text>
    );
  }
  const { over, latencyMs, tokensPerSecond, uptime } = traffic;
  const figures = [
    { id: "latency", name: t("latency"), value: latencyMs === null ? null : duration(latencyMs) },
    {
      id: "throughput",
      name: t("throughput"),
      value:
        tokensPerSecond === null ? null : t("tokensPerSecond", { count: format.number(tokensPerSecond) }),
    },
    {
      id: "uptime",
      name: t("uptime"),
      value: format.number(uptime, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 }),
    },
  ];
  return (
    <div>
      <FigureList figures={figures.filter(({ value }) => value !== null)} />
      <Text size="xs" c="dimmed" mt={4}>
        {t(`over.${over}`)}
      </Text>
    </div>
  );
}
