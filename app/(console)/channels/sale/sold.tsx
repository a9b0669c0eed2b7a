import { Alert, Anchor, Button, Group, Paper, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconCoin, IconRoute } from "@tabler/icons-react";
import Link from "next/link";
import { useEffect, useRef } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { Permitted } from "../../_components/shell/viewer";
import type { Sale } from "../channel";
import { FirstCustomer } from "./first-customer";

/** The text names so many models and counts the others. */
const MAX_NAMES = 12;

/** The end of a sale: the models on sale, and a form for the first customer. */
export function Sold({ sale: { channelId, channel, onSale, unpriced } }: { sale: Sale }) {
  const t = useTranslations("sale");
  const common = useTranslations("common");
  const format = useFormatter();
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  const namesOf = (ids: string[]) => {
    const rest = ids.length - MAX_NAMES;
    const named = ids.slice(0, MAX_NAMES);
    return format.list(rest > 0 ? [...named, common("more", { count: rest })] : named);
  };
  return (
    <Stack>
      <Paper withBorder p="xl">
        <Stack gap="sm">
          <Group gap="sm" wrap="nowrap">
            <IconCircleCheck size={36} aria-hidden color="var(--mantine-color-green-text)" />
            <Title order={2} fz={28} tabIndex={-1} ref={title} className="quiet-focus">
              {t("sold", { count: onSale.length })}
            </Title>
          </Group>
          <Text c="dimmed" className="wrap-anywhere">
            {t("soldText", { channel, names: namesOf(onSale) })}
          </Text>
          {unpriced.length > 0 && (
            <Alert
              color="orange"
              icon={<IconAlertTriangle aria-hidden />}
              title={t("unpriced", { count: unpriced.length })}
            >
              <Text size="sm" className="wrap-anywhere">
                {namesOf(unpriced)}{" "}
                <Anchor component={Link} href={addresses.priceGrid()} inherit>
                  {t("setPrices")}
                </Anchor>
              </Text>
            </Alert>
          )}
          <Group gap="sm">
            <Button
              component={Link}
              href={addresses.channel(channelId)}
              variant="default"
              leftSection={<IconRoute size={16} aria-hidden />}
            >
              {t("openChannel")}
            </Button>
            <Button
              component={Link}
              href={addresses.prices()}
              variant="default"
              leftSection={<IconCoin size={16} aria-hidden />}
            >
              {t("openPrices")}
            </Button>
          </Group>
        </Stack>
      </Paper>
      <Permitted to="accounts.write">
        <FirstCustomer />
      </Permitted>
    </Stack>
  );
}
