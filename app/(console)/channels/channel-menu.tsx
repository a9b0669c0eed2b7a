import {
  IconArrowBack,
  IconArrowForward,
  IconDots,
  IconEdit,
  IconPlugConnected,
  IconTrash,
} from "@tabler/icons-react";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { onDemand } from "../_components/data/on-demand";
import { ActionMenu } from "../_components/fields/action-menu";
import type { ChannelRow } from "./channel";
import { useSetMovedOff } from "./use-channel-changes";

const RemoveChannel = onDemand(() => import("./remove-channel").then((module) => module.RemoveChannel));

export function ChannelMenu({ channel }: { channel: ChannelRow }) {
  const t = useTranslations("channels");
  const common = useTranslations("common");
  const [isRemoving, setRemoving] = useState(false);
  const { setMovedOff } = useSetMovedOff(channel);
  return (
    <>
      <ActionMenu
        label={common("moreActions", { name: channel.name })}
        icon={<IconDots size={18} aria-hidden />}
        entries={[
          { label: t("edit"), icon: IconEdit, href: addresses.channel(channel.id) },
          { label: t("test"), icon: IconPlugConnected, href: addresses.channelTest(channel.id) },
          {
            label: t(channel.isMovedOff ? "moveBack" : "moveOff"),
            icon: channel.isMovedOff ? IconArrowBack : IconArrowForward,
            onChoose: () => setMovedOff(!channel.isMovedOff),
          },
          { label: t("remove"), icon: IconTrash, isDanger: true, onChoose: () => setRemoving(true) },
        ]}
      />
      {isRemoving && <RemoveChannel channel={channel} onClose={() => setRemoving(false)} />}
    </>
  );
}
