import { Alert, List, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { LinkFor } from "../_components/cards/link-for";
import type { CatalogModel, Oddity } from "./catalog";

const oddities: Oddity[] = ["unpriced", "unsold", "unserved", "belowCost"];

/** Names beyond these are in the list below, which can be filtered. */
const MAX_NAMES = 8;

type Props = { models: CatalogModel[]; missing: string[] };

/** Warns of settings that operators hardly ever want, with their effect on clients. */
export function CatalogWarnings({ models, missing }: Props) {
  const t = useTranslations("prices");
  const common = useTranslations("common");
  const namesOf = (ids: string[]) => {
    const rest = ids.length - MAX_NAMES;
    const named = ids.slice(0, MAX_NAMES);
    return (rest > 0 ? [...named, common("more", { count: rest })] : named).join(common("nameSeparator"));
  };
  const warnings = oddities
    .map((oddity) => ({
      oddity,
      ids: models.filter((model) => model.oddities.includes(oddity)).map(({ id }) => id),
    }))
    .filter(({ ids }) => ids.length > 0);
  if (warnings.length === 0 && missing.length === 0) {
    return null;
  }
  return (
    <Alert color="orange" icon={<IconAlertTriangle aria-hidden />} title={t("warningsTitle")}>
      <Stack gap={4}>
        {warnings.map(({ oddity, ids }) => (
          <Text key={oddity} size="sm" className="wrap-anywhere">
            {t(`warnings.${oddity}`, { names: namesOf(ids) })}
          </Text>
        ))}
        {missing.length > 0 && (
          <>
            <Text size="sm">{t("warnings.missing")}</Text>
            <List size="sm">
              {missing.slice(0, MAX_NAMES).map((id) => (
                <List.Item key={id}>
                  <LinkFor
                    to="prices.write"
                    href={addresses.newPrice({ id })}
                    size="sm"
                    className="wrap-anywhere"
                  >
                    {t("addMissing", { name: id })}
                  </LinkFor>
                </List.Item>
              ))}
              {missing.length > MAX_NAMES && (
                <List.Item>{common("more", { count: missing.length - MAX_NAMES })}</List.Item>
              )}
            </List>
          </>
        )}
      </Stack>
    </Alert>
  );
}
