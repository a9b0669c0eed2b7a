import { Stack, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconArrowForward,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleOff,
  IconPlayerPause,
  IconZoomQuestion,
} from "@tabler/icons-react";
import { useFormatter, useTranslations } from "use-intl";
import { StatusBadge } from "../_components/tables/status-badge";
import { Timestamp } from "../_components/text/timestamp";
import type { ChannelHealth, ChannelRow, ChannelStanding, ChannelState } from "./channel";

const badges = {
  open: { tone: "bad", icon: IconAlertTriangle },
  probing: { tone: "warn", icon: IconZoomQuestion },
  resting: { tone: "warn", icon: IconPlayerPause },
  apart: { tone: "warn", icon: IconPlayerPause },
  faulty: { tone: "warn", icon: IconAlertTriangle },
  moved: { tone: "quiet", icon: IconArrowForward },
  well: { tone: "good", icon: IconCircleCheck },
  unused: { tone: "quiet", icon: IconCircleDashed },
  disabled: { tone: "quiet", icon: IconCircleOff },
} as const;

export function StateBadge({ state }: { state: ChannelState }) {
  const t = useTranslations("channels.states");
  return (
    <StatusBadge {...badges[state]} iconSize={14}>
      {t(state)}
    </StatusBadge>
  );
}

/** The resting credentials, and until when each rests. */
export function Rests({ rests, hints }: { rests: ChannelHealth["restingCredentials"]; hints: string[] }) {
  const t = useTranslations("channels");
  const format = useFormatter();
  return rests.map(({ index, untilMs }) => {
    const hint = hints[index];
    const credential = hint ? t("credentialHint", { hint }) : t("credentialNumber", { number: index + 1 });
    const time = format.dateTime(new Date(untilMs), { timeStyle: "medium", hourCycle: "h23" });
    return (
      <Text key={index} size="xs">
        {t("restLine", { credential, time })}
      </Text>
    );
  });
}

type Fault = NonNullable<ChannelHealth["lastFault"]>;

/** An upstream's error message, word for word, and its time. `lines`: the number of lines to show. */
export function Fault({ fault, lines }: { fault: Fault; lines?: number }) {
  const t = useTranslations("channels.fault");
  return (
    <Stack gap={0}>
      <Text size="xs">
        {t(fault.reason)} · <Timestamp at={fault.at} />
      </Text>
      <Text
        size="xs"
        c="dimmed"
        className="wrap-anywhere"
        title={fault.message}
        {...(lines !== undefined && { lineClamp: lines })}
      >
        {fault.message}
      </Text>
    </Stack>
  );
}

type Props = {
  channel: Pick<ChannelRow, "credentialHints" | "isMovedOff">;
  standing: ChannelStanding;
};

/** A channel's state in a table row: the worst state of its operations, and why. */
export function ChannelHealthCell({ channel, standing: { state: overall, fault, seen: operations } }: Props) {
  const t = useTranslations("channels");
  return (
    <Stack gap={4} maw={280}>
      <div>
        <StateBadge state={overall} />
      </div>
      {channel.isMovedOff && overall !== "moved" && <Text size="xs">{t("movedOff")}</Text>}
      {operations
        .filter(({ state }) => state !== "closed")
        .map(({ operation, state }) => (
          <Text key={operation} size="xs">
            {t("breakerLine", { operation: t(`operations.${operation}`), state: t(`breakers.${state}`) })}
          </Text>
        ))}
      {operations
        .filter(({ accountsApart }) => accountsApart > 0)
        .map(({ operation, accountsApart }) => (
          <Text key={operation} size="xs">
            {t("apartLine", { operation: t(`operations.${operation}`), count: accountsApart })}
          </Text>
        ))}
      {operations.map(({ operation, restingCredentials }) => (
        <Rests key={operation} rests={restingCredentials} hints={channel.credentialHints} />
      ))}
      {fault && <Fault fault={fault} lines={2} />}
    </Stack>
  );
}
