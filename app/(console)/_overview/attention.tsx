"use client";

import { Anchor, List, Text } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import type { ReactNode } from "react";
import { useTranslations } from "use-intl";
import { QueryState } from "../_components/query-state";
import { useTRPC } from "../_components/trpc";
import { placeOf } from "../prices/catalog";
import type { Attention } from "./overview";
import { Section } from "./section";

type Ailing = Attention["channels"][number];

const stateTexts = { closed: null, open: "channelOpen", half_open: "channelHalfOpen" } as const;

function ChannelEntry({ channel }: { channel: Ailing }) {
  const t = useTranslations("overview");
  const channels = useTranslations("channels");
  const { channelId, name, resting, fault } = channel;
  const operation = channels(`operations.${channel.operation}`);
  const state = stateTexts[channel.state];
  return (
    <List.Item>
      <Anchor component={Link} href={`/channels/${channelId}`} size="sm">
        {name}
      </Anchor>
      {state && <Text size="sm">{t(state, { operation })}</Text>}
      {resting > 0 && <Text size="sm">{t("channelResting", { operation, count: resting })}</Text>}
      {fault && (
        <Text size="sm" c="dimmed" lineClamp={2} className="wrap-anywhere">
          {t("fault", { message: fault.message })}
        </Text>
      )}
    </List.Item>
  );
}

function ModelEntry({ id, children }: { id: string; children: ReactNode }) {
  return (
    <List.Item>
      <Anchor component={Link} href={placeOf(id)} size="sm">
        {id}
      </Anchor>
      <Text size="sm">{children}</Text>
    </List.Item>
  );
}

function Entries({ found }: { found: Attention }) {
  const t = useTranslations("overview");
  return (
    <List
      spacing="xs"
      icon={<IconAlertTriangle size={18} aria-hidden color="var(--mantine-color-orange-text)" />}
    >
      {found.channels.map((channel) => (
        <ChannelEntry key={`${channel.channelId} ${channel.operation}`} channel={channel} />
      ))}
      {found.models.flatMap(({ id, oddities }) =>
        oddities.map((oddity) => (
          <ModelEntry key={`${id} ${oddity}`} id={id}>
            {t(oddity)}
          </ModelEntry>
        )),
      )}
      {found.missing.map((id) => (
        <ModelEntry key={id} id={id}>
          {t("missing")}
        </ModelEntry>
      ))}
    </List>
  );
}

/** Channels that fail and models that cannot be sold as they are. */
export function AttentionCard() {
  const t = useTranslations("overview");
  const query = useQuery(useTRPC().overview.attention.queryOptions());
  const found = query.data;
  const isWell = found && found.channels.length + found.models.length + found.missing.length === 0;
  return (
    <Section title={t("attentionTitle")} link={{ href: "/channels", text: t("allChannels") }}>
      {!found && <QueryState query={query} />}
      {isWell && (
        <List center icon={<IconCircleCheck size={18} aria-hidden color="var(--mantine-color-green-text)" />}>
          <List.Item>
            <Text size="sm">{t("attentionEmpty")}</Text>
          </List.Item>
        </List>
      )}
      {found && !isWell && <Entries found={found} />}
      <Text size="xs" c="dimmed">
        {t("processNote")}
      </Text>
    </Section>
  );
}
