import { useTranslations } from "use-intl";
import type { WebhookTerms } from "./webhook";

export type EventType = WebhookTerms["events"][number];

/** The message key of each event. */
export const eventKeys = {
  "quota.threshold": "quota_threshold",
  "key.cap_threshold": "key_cap_threshold",
  "daily_limit.threshold": "daily_limit_threshold",
  "spend.anomaly": "spend_anomaly",
  "video.completed": "video_completed",
  "video.failed": "video_failed",
  "channel.failing": "channel_failing",
  "channel.recovered": "channel_recovered",
  "channel.models_changed": "channel_models_changed",
} as const satisfies Record<EventType, string>;

/** The name of an event in the reader's language. */
export function useEventName(): (event: EventType) => string {
  const t = useTranslations("webhooks.eventName");
  return (event) => t(eventKeys[event]);
}
