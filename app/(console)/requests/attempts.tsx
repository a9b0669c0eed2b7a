import { Group, List, Stack, Text, Title } from "@mantine/core";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { LinkFor } from "../_components/cards/link-for";
import type { CallDetail } from "./call";
import { useDuration } from "./use-duration";
import { useOutcome } from "./use-outcome";

type CallAttempt = NonNullable<CallDetail["attempts"]>[number];

function Attempted({ attempt }: { attempt: CallAttempt }) {
  const t = useTranslations("requests");
  const duration = useDuration();
  const outcome = useOutcome();
  const { channel, credential, status, headMs, firstMs, elapsedMs, words } = attempt;
  const times = [
    ...(firstMs === null ? [] : [t("firstTokenShort", { duration: duration(firstMs) })]),
    ...(firstMs !== null || headMs === null ? [] : [t("headAfter", { duration: duration(headMs) })]),
    t("endedAfter", { duration: duration(elapsedMs) }),
  ];
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <LinkFor to="channels.read" href={addresses.channel(channel.id)} inherit underline="always">
          {channel.name || t("removedChannel")}
        </LinkFor>
        {credential !== "" && (
          <Text size="xs" c="dimmed">
            …{credential}
          </Text>
        )}
      </Group>
      <Text size="sm">
        {outcome(attempt.outcome)}
        {status !== null && attempt.outcome !== "ok" && ` · HTTP ${status}`} · {times.join(" · ")}
      </Text>
      {words !== null && words !== "" && (
        <Text size="xs" c="dimmed" className="wrap-anywhere">
          {words}
        </Text>
      )}
    </Stack>
  );
}

/** A call's attempts at upstreams, in order; for operators. */
export function Attempts({ attempts }: { attempts: readonly CallAttempt[] }) {
  const t = useTranslations("requests");
  return (
    <>
      <Title order={3} size="h5">
        {t("attemptsTitle")}
      </Title>
      {attempts.length === 0 ? (
        <Text size="sm">{t("attemptsEmpty")}</Text>
      ) : (
        <List type="ordered" spacing="sm" size="sm">
          {attempts.map((attempt) => (
            <List.Item key={attempt.beganAt}>
              <Attempted attempt={attempt} />
            </List.Item>
          ))}
        </List>
      )}
    </>
  );
}
