import { Anchor, Button, Group, List, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useFormatter, useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { LastsUntil } from "../_components/charts/lasts-until";
import { QueryState } from "../_components/data/query-state";
import { SUMS_MS } from "../_components/data/refresh";
import { useTRPC } from "../_components/data/trpc";
import { Permitted, useMay } from "../_components/shell/viewer";
import { Timestamp } from "../_components/text/timestamp";
import { useAmount } from "../_components/text/use-amount";
import { useMonthName } from "../_components/text/use-month-name";
import { Fault, StateBadge } from "../channels/channel-state";
import { useSetMovedOff } from "../channels/use-channel-changes";
import { ActionLink, buttonProps, Entry } from "./attention-entry";
import type { Attention } from "./overview";
import { Section } from "./section";
import { VendorModelsEntry } from "./vendor-models-entry";

/** Names the first customers and counts the others. */
function useCustomers() {
  const t = useTranslations("overview");
  const common = useTranslations("common");
  return ({ customers, more }: { customers: string[]; more: number }): string | null => {
    if (customers.length === 0) {
      return null;
    }
    const named = more > 0 ? [...customers, common("more", { count: more })] : customers;
    const names = named.join(common("nameSeparator"));
    return t("customers", { count: customers.length + more, names });
  };
}

function ChannelEntry({ channel }: { channel: Attention["channels"][number] }) {
  const t = useTranslations("overview");
  const channels = useTranslations("channels");
  const customersOf = useCustomers();
  const { channelId, name, state, fault, failingSince, isMovedOff } = channel;
  const { setMovedOff, isPending } = useSetMovedOff({ id: channelId, name });
  const customers = customersOf(channel);
  const action = isMovedOff ? (
    <ActionLink permission="channels.write" href={addresses.channelTest(channelId)}>
      {channels("test")}
    </ActionLink>
  ) : (
    <Permitted to="channels.write">
      <Button {...buttonProps} loading={isPending} onClick={() => setMovedOff(true)}>
        {channels("moveOff")}
      </Button>
    </Permitted>
  );
  return (
    <Entry action={action}>
      <Group gap="xs">
        <Anchor component={Link} href={addresses.channel(channelId)} size="sm" fw={600}>
          {name}
        </Anchor>
        {state && <StateBadge state={state} />}
      </Group>
      {failingSince && (
        <Text size="sm">
          {t("failingSince")} <Timestamp at={failingSince} exact />
        </Text>
      )}
      {customers && <Text size="sm">{customers}</Text>}
      {fault && <Fault fault={fault} lines={2} />}
    </Entry>
  );
}

function BelowCostEntry({ entry }: { entry: Attention["belowCost"][number] }) {
  const t = useTranslations("overview");
  const format = useFormatter();
  const customersOf = useCustomers();
  const { modelId, channels, group } = entry;
  const names = format.list(channels);
  return (
    <Entry
      action={
        <ActionLink
          permission="prices.write"
          href={group ? addresses.priceGroups() : addresses.price(modelId)}
        >
          {t(group ? "changeGroup" : "changePrice")}
        </ActionLink>
      }
    >
      <Anchor component={Link} href={addresses.price(modelId)} size="sm" fw={600} className="wrap-anywhere">
        {modelId}
      </Anchor>
      <Text size="sm">
        {group
          ? t("belowCostInGroup", { channels: names, group: group.name })
          : t("belowCostOn", { channels: names })}
      </Text>
      <Text size="sm">{group ? customersOf(group) : t("usualCustomers")}</Text>
    </Entry>
  );
}

/** The page where a model's problem is settled, and the permission to do it. */
const settling = {
  unpriced: { to: "prices.write", text: "setPrice", href: (id: string) => addresses.price(id) },
  unsold: { to: "prices.write", text: "setPrice", href: (id: string) => addresses.price(id) },
  unserved: { to: "channels.write", text: "addToChannel", href: () => addresses.channels() },
} as const;

function ModelEntry({ id, oddities }: Attention["models"][number]) {
  const t = useTranslations("overview");
  const [first] = oddities;
  return (
    <Entry
      action={
        first && (
          <ActionLink permission={settling[first].to} href={settling[first].href(id)}>
            {t(settling[first].text)}
          </ActionLink>
        )
      }
    >
      <Anchor component={Link} href={addresses.price(id)} size="sm" fw={600} className="wrap-anywhere">
        {id}
      </Anchor>
      {oddities.map((oddity) => (
        <Text key={oddity} size="sm">
          {t(oddity)}
        </Text>
      ))}
    </Entry>
  );
}

function MissingEntry({ id, channels }: Attention["missing"][number]) {
  const t = useTranslations("overview");
  const format = useFormatter();
  return (
    <Entry
      action={
        <ActionLink permission="prices.write" href={addresses.newPrice({ id })}>
          {t("setPrice")}
        </ActionLink>
      }
    >
      <Text size="sm" fw={600} className="wrap-anywhere">
        {id}
      </Text>
      <Text size="sm">{t("missing", { channels: format.list(channels) })}</Text>
    </Entry>
  );
}

function RunningOut({
  account: { accountId, name, lastsUntil },
}: {
  account: Attention["accounts"][number];
}) {
  const t = useTranslations("overview");
  return (
    <Entry
      action={
        <ActionLink permission="money.write" href={addresses.account(accountId)}>
          {t("topUp")}
        </ActionLink>
      }
    >
      <Anchor
        component={Link}
        href={addresses.account(accountId)}
        size="sm"
        fw={600}
        className="wrap-anywhere"
      >
        {name}
      </Anchor>
      <LastsUntil at={lastsUntil} />
    </Entry>
  );
}

/** The list shows so many warnings of a kind and counts the others. */
const MAX_ENTRIES = 5;

function More({ list, href }: { list: readonly unknown[]; href: string }) {
  const common = useTranslations("common");
  return (
    list.length > MAX_ENTRIES && (
      <List.Item>
        <Anchor component={Link} href={href} size="sm">
          {common("more", { count: list.length - MAX_ENTRIES })}
        </Anchor>
      </List.Item>
    )
  );
}

function SoldInOutage({
  sale: { accountId, name, amount: sold, period: month },
}: {
  sale: Attention["outage"][number];
}) {
  const t = useTranslations("overview");
  const period = useMonthName()(month);
  const amount = useAmount();
  return (
    <Entry
      action={
        <ActionLink permission="money.write" href={addresses.account(accountId)}>
          {t("topUp")}
        </ActionLink>
      }
    >
      <Anchor
        component={Link}
        href={addresses.account(accountId)}
        size="sm"
        fw={600}
        className="wrap-anywhere"
      >
        {name}
      </Anchor>
      <Text size="sm">{t("soldInOutage", { amount: amount(sold), period })}</Text>
    </Entry>
  );
}

function Entries({ attention }: { attention: Attention }) {
  const { channels, vendorModels, belowCost, models, missing, accounts, outage } = attention;
  return (
    <List
      spacing="md"
      icon={<IconAlertTriangle size={18} aria-hidden color="var(--mantine-color-orange-text)" />}
    >
      {channels.map((channel) => (
        <ChannelEntry key={channel.channelId} channel={channel} />
      ))}
      {belowCost.slice(0, MAX_ENTRIES).map((entry) => (
        <BelowCostEntry key={`${entry.modelId} ${entry.group?.id}`} entry={entry} />
      ))}
      <More list={belowCost} href={addresses.prices()} />
      {models.slice(0, MAX_ENTRIES).map((model) => (
        <ModelEntry key={model.id} {...model} />
      ))}
      <More list={models} href={addresses.prices()} />
      {accounts.map((account) => (
        <RunningOut key={account.accountId} account={account} />
      ))}
      {outage.map((sale) => (
        <SoldInOutage key={`${sale.accountId} ${sale.period}`} sale={sale} />
      ))}
      {vendorModels.map((entry) => (
        <VendorModelsEntry key={entry.channelId} entry={entry} />
      ))}
      {missing.slice(0, MAX_ENTRIES).map((model) => (
        <MissingEntry key={model.id} {...model} />
      ))}
      <More list={missing} href={addresses.prices()} />
    </List>
  );
}

/**
 * Failing channels, changed lists of vendors, models that cannot be sold or are sold below cost, and accounts that run out of money, or for which
 * outage allowances paid.
 */
export function AttentionCard() {
  const t = useTranslations("overview");
  const seesChannels = useMay("channels.read");
  const query = useQuery(useTRPC().overview.attention.queryOptions(undefined, { refetchInterval: SUMS_MS }));
  const attention = query.data;
  if (attention?.isEmpty) {
    return null;
  }
  const isWell =
    attention &&
    [
      ...[attention.channels, attention.models, attention.belowCost, attention.missing],
      ...[attention.accounts, attention.outage, attention.vendorModels],
    ].every((list) => list.length === 0);
  return (
    <Section
      title={t("attentionTitle")}
      {...(seesChannels && { link: { href: addresses.channels(), text: t("allChannels") } })}
    >
      {!attention && <QueryState query={query} />}
      {isWell && (
        <List center icon={<IconCircleCheck size={18} aria-hidden color="var(--mantine-color-green-text)" />}>
          <List.Item>
            <Text size="sm">{t("attentionEmpty")}</Text>
          </List.Item>
        </List>
      )}
      {attention && !isWell && <Entries attention={attention} />}
    </Section>
  );
}
