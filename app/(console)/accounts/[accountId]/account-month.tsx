import { Anchor, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import Link from "next/link";
import { useFormatter, useTranslations } from "use-intl";
import { useInstallation } from "../../_components/installation";
import { Money, useAmount } from "../../_components/money";
import { QuotaBar } from "../../_components/quota-bar";
import type { Account } from "../account";

const figures = ["quota", "topups", "used", "frozen", "available"] as const;

function Links({ accountId }: { accountId: string }) {
  const t = useTranslations("accounts");
  const links = {
    requests: `/all-requests?account=${accountId}`,
    tasks: `/all-videos?account=${accountId}`,
    changes: `/audit?account=${accountId}`,
  } as const;
  return (
    <Group gap="md" component="nav" aria-label={t("linksTitle")}>
      {(Object.keys(links) as (keyof typeof links)[]).map((link) => (
        <Anchor key={link} component={Link} href={links[link]} size="sm">
          {t(link)}
        </Anchor>
      ))}
    </Group>
  );
}

/** The month under way: what was granted, what is gone and what is left, to the last digit. */
export function AccountMonth({ account }: { account: Account }) {
  const t = useTranslations("accounts");
  const format = useFormatter();
  const amount = useAmount();
  const { billingTimeZone } = useInstallation();
  const { month, monthlyQuota } = account;
  const reset = format.dateTime(new Date(account.resetsAt), {
    dateStyle: "medium",
    timeStyle: "short",
    timeZone: billingTimeZone,
  });
  return (
    <Paper withBorder p="lg" component="section" aria-labelledby="month">
      <Stack>
        <Group justify="space-between" align="baseline">
          <Title order={2} size="h4" id="month">
            {t("monthOf", { period: month.period })}
          </Title>
          <Links accountId={account.id} />
        </Group>
        <QuotaBar month={month} size="lg" />
        <SimpleGrid cols={{ base: 2, sm: 5 }} component="dl" m={0}>
          {figures.map((figure) => (
            <div key={figure}>
              <Text component="dt" size="sm" c="dimmed">
                {t(figure)}
              </Text>
              <Text component="dd" m={0} fw={600}>
                <Money value={month[figure]} />
              </Text>
            </div>
          ))}
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          {t("resets", { reset, zone: billingTimeZone, amount: amount(monthlyQuota) })}
        </Text>
      </Stack>
    </Paper>
  );
}
