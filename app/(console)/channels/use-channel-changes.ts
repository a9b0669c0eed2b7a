import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import type { ChannelRow } from "./channel";

export function useSetEnabled({ id, name }: Pick<ChannelRow, "id" | "name">) {
  const t = useTranslations("channels");
  const { mutate, isPending } = useMutation(
    useTRPC().channels.setEnabled.mutationOptions({
      onSuccess: (_data, { isEnabled }) => {
        const message = t(isEnabled ? "enabledNotice" : "disabledNotice", { name });
        notifications.show({ message, role: "status" });
      },
    }),
  );
  return { setEnabled: (isEnabled: boolean) => mutate({ channelId: id, isEnabled }), isPending };
}

/** Moves a channel's calls to the others, or back. */
export function useSetMovedOff({ id, name }: Pick<ChannelRow, "id" | "name">) {
  const t = useTranslations("channels");
  const { mutate, isPending } = useMutation(
    useTRPC().channels.setMovedOff.mutationOptions({
      onSuccess: (_data, { isMovedOff }) => {
        const message = t(isMovedOff ? "movedOffNotice" : "movedBackNotice", { name });
        notifications.show({ message, role: "status" });
      },
    }),
  );
  return { setMovedOff: (isMovedOff: boolean) => mutate({ channelId: id, isMovedOff }), isPending };
}

/** Sets a channel's priority or weight from within the list. */
export function useSetPlace(channelId: string) {
  const { mutate, isPending } = useMutation(useTRPC().channels.update.mutationOptions());
  return {
    setPlace: (place: { priority: number } | { weight: number }) => mutate({ channelId, ...place }),
    isPending,
  };
}
