import { Checkbox, Stack } from "@mantine/core";
import { useTranslations } from "use-intl";
import { accountEvents, eventTypes } from "@/server/domain/enums";
import { useSide } from "../_components/shell/viewer";
import type { WebhookTerms } from "./webhook";

type Events = WebhookTerms["events"];

const texts = {
  "quota.threshold": "event.quota_threshold",
  "key.cap_threshold": "event.key_cap_threshold",
  "daily_limit.threshold": "event.daily_limit_threshold",
  "spend.anomaly": "event.spend_anomaly",
  "video.completed": "event.video_completed",
  "video.failed": "event.video_failed",
  "channel.failing": "event.channel_failing",
  "channel.recovered": "event.channel_recovered",
  "channel.models_changed": "event.channel_models_changed",
} as const satisfies Record<Events[number], string>;

/** The events that a webhook receives. */
export function EventField(props: {
  value: Events;
  error?: string | undefined;
  onChange: (events: Events) => void;
}) {
  const t = useTranslations("webhooks");
  const offered: readonly Events[number][] = useSide() === "operator" ? eventTypes : accountEvents;
  const { value, error, onChange } = props;
  return (
    <Checkbox.Group
      label={t("events")}
      error={error}
      value={value}
      onChange={(chosen) => onChange(offered.filter((event) => chosen.includes(event)))}
    >
      <Stack gap="xs" mt="xs">
        {offered.map((event) => (
          <Checkbox key={event} value={event} label={event} description={t(texts[event])} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
