import { Alert, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useFormatter, useTranslations } from "use-intl";
import { useTRPC } from "../../_components/data/trpc";
import { usePriceName } from "../use-price-name";

/** The model's prices below cost at a channel; nothing if there are none. */
export function SoldBelowCost({ modelId }: { modelId: string }) {
  const t = useTranslations("prices");
  const format = useFormatter();
  const nameOf = usePriceName();
  const { data = [] } = useQuery(useTRPC().prices.costs.queryOptions({ modelId }));
  const below = data.filter((cost) => cost.below.length > 0);
  return (
    below.length > 0 && (
      <Alert color="red" icon={<IconAlertTriangle aria-hidden />} title={t("belowCost")}>
        {below.map((cost) => (
          <Text key={cost.channelId} size="sm">
            {t("belowCostAt", {
              channel: cost.channel,
              names: format.list(cost.below.map(nameOf)),
            })}
          </Text>
        ))}
      </Alert>
    )
  );
}
