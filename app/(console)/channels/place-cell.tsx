import { useTranslations } from "use-intl";
import { ChannelSettings } from "@/server/channels/settings/schema";
import type { ChannelRow } from "./channel";
import { InlineNumber } from "./inline-number";
import { useSetPlace } from "./use-channel-changes";

const { priority: Priority, weight: Weight } = ChannelSettings.shape;

/** A channel's priority or weight, edited in place. */
export function PlaceCell({ channel, field }: { channel: ChannelRow; field: "priority" | "weight" }) {
  const t = useTranslations("channels");
  const { setPlace, isPending } = useSetPlace(channel.id);
  const isPriority = field === "priority";
  return (
    <InlineNumber
      label={t(isPriority ? "priorityOf" : "weightOf", { name: channel.name })}
      value={channel[field]}
      isPending={isPending}
      isValid={(value) => (isPriority ? Priority : Weight).safeParse(value).success}
      onCommit={(value) => setPlace(isPriority ? { priority: value } : { weight: value })}
    />
  );
}
