import { Anchor, Group, List, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { LastsUntil } from "../_components/charts/lasts-until";
import { QueryState } from "../_components/data/query-state";
import { useTRPC } from "../_components/data/trpc";
import { useMay } from "../_components/shell/viewer";
import { Timestamp } from "../_components/text/timestamp";
import { Fault, StateBadge } from "../channels/channel-state";
import type { Attention } from "./overview";
import { Section } from "./section";

type Ailing = Attention["channels"][number];

function ChannelEntry({ channel: { channelId, name, state, fault, failingSince } }: { channel: Ailing }) {
  const t = useTranslations("overview");
  return (
    <List.Item>
      <Group gap="xs">
        <Anchor component={Link} href={addresses.channel(channelId)} size="sm">
          {name}
        </Anchor>
        {state && <StateBadge state={state} />}
      </Group>
      {failingSince && (
        <Text size="sm">
          {t("failingSince")} <Timestamp at={failingSince} exact />
        </Text>
      )}
      {fault && <Fault fault={fault} lines={2} />}
    </List.Item>
  );
}

function ModelEntry({ id, faults }: { id: string; faults: string[] }) {
  return (
    <List.Item>
      <Anchor component={Link} href={addresses.price(id)} size="sm">
        {id}
      </Anchor>
      {faults.map((fault) => (
        <Text key={fault} size="sm">
          {fault}
        </Text>
      ))}
    </List.Item>
  );
}

function RunningOut({
  account: { accountId, name, lastsUntil },
}: {
  account: Attention["accounts"][number];
}) {
  return (
    <List.Item>
      <Anchor component={Link} href={addresses.account(accountId)} size="sm" className="wrap-anywhere">
        {name}
      </Anchor>
      <LastsUntil at={lastsUntil} />
    </List.Item>
  );
}

function Entries({ attention }: { attention: Attention }) {
  const t = useTranslations("overview");
  return (
    <List
      spacing="xs"
      icon={<IconAlertTriangle size={18} aria-hidden color="var(--mantine-color-orange-text)" />}
    >
      {attention.channels.map((channel) => (
        <ChannelEntry key={channel.channelId} channel={channel} />
      ))}
      {attention.models.map(({ id, oddities }) => (
        <ModelEntry key={id} id={id} faults={oddities.map((oddity) => t(oddity))} />
      ))}
      {attention.accounts.map((account) => (
        <RunningOut key={account.accountId} account={account} />
      ))}
      {attention.missing.map((id) => (
        <ModelEntry key={id} id={id} faults={[t("missing")]} />
      ))}
    </List>
  );
}

/** Failing channels, models that cannot be sold as configured, and accounts that run out of money. */
export function AttentionCard() {
  const t = useTranslations("overview");
  const seesChannels = useMay("channels.read");
  const query = useQuery(useTRPC().overview.attention.queryOptions());
  const attention = query.data;
  const isWell =
    attention &&
    [attention.channels, attention.models, attention.missing, attention.accounts].every(
      (list) => list.length === 0,
    );
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
