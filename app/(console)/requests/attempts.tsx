import { Group, Stack, Text, Title } from "@mantine/core";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { LinkFor } from "../_components/cards/link-for";
import type { CallDetail } from "./call";
import { useDuration } from "./use-duration";
import { useOutcome } from "./use-outcome";
import { VendorErrorNames } from "./vendor-error";

type CallAttempt = NonNullable<CallDetail["attempts"]>[number];

/** Outcomes for which the gateway writes the text. Of other outcomes, the log keeps only the terms of errors. */
const ownWords = ["unreachable", "cut", "busy", "timeout"];

/** Where an attempt begins and ends within the whole call, in per cent. */
function placeOf(
  { beganAt, elapsedMs }: CallAttempt,
  { from, lengthMs }: { from: number; lengthMs: number },
) {
  const part = (ms: number) => Math.min(100, Math.max(0, (ms / lengthMs) * 100));
  const start = part(Date.parse(beganAt) - from);
  return { insetInlineStart: `${start}%`, width: `max(4px, ${Math.min(100 - start, part(elapsedMs))}%)` };
}

function Attempted({ attempt, from, lengthMs }: { attempt: CallAttempt; from: number; lengthMs: number }) {
  const t = useTranslations("requests");
  const duration = useDuration();
  const outcome = useOutcome();
  const { channel, credential, status, headMs, firstMs, elapsedMs, words, vendorError } = attempt;
  const times = [
    t("beganAfter", { duration: duration(Math.max(0, Math.round(Date.parse(attempt.beganAt) - from))) }),
    ...(firstMs === null ? [] : [t("firstTokenShort", { duration: duration(firstMs) })]),
    ...(firstMs !== null || headMs === null ? [] : [t("headAfter", { duration: duration(headMs) })]),
    t("endedAfter", { duration: duration(elapsedMs) }),
  ];
  return (
    <Stack gap={2}>
      <Group gap="xs">
        <LinkFor to="channels.read" href={addresses.channel(channel.id)} inherit underline="always">
          {channel.name || t("removedChannel")}
        </LinkFor>
        {credential !== "" && (
          <Text size="xs" c="dimmed">
            …{credential}
          </Text>
        )}
        <Text size="sm" fw={600}>
          {outcome(attempt.outcome)}
          {status !== null && attempt.outcome !== "ok" && ` · HTTP ${status}`}
        </Text>
      </Group>
      <div className="attempt-time" aria-hidden>
        <div data-ok={attempt.outcome === "ok"} style={placeOf(attempt, { from, lengthMs })} />
      </div>
      <Text size="xs" c="dimmed">
        {times.join(" · ")}
      </Text>
      {vendorError && <VendorErrorNames error={vendorError} />}
      {words !== null && words !== "" && (
        <Text size="xs" c="dimmed" className="wrap-anywhere">
          {t(ownWords.includes(attempt.outcome) ? "ownWords" : "keptTerms")} {words}
        </Text>
      )}
    </Stack>
  );
}

/** A call's attempts at upstreams in order, each with its time within the call; for operators. */
export function Attempts({ attempts }: { attempts: readonly CallAttempt[] }) {
  const t = useTranslations("requests");
  const from = Math.min(...attempts.map(({ beganAt }) => Date.parse(beganAt)));
  const until = Math.max(...attempts.map(({ beganAt, elapsedMs }) => Date.parse(beganAt) + elapsedMs));
  return (
    <>
      <Title order={3} size="h5">
        {t("attemptsTitle")}
      </Title>
      {attempts.length === 0 ? (
        <Text size="sm">{t("attemptsEmpty")}</Text>
      ) : (
        <ol className="timeline">
          {attempts.map((attempt) => (
            <li key={attempt.beganAt} data-ok={attempt.outcome === "ok"}>
              <Attempted {...{ attempt, from }} lengthMs={Math.max(1, until - from)} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
