import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/trpc";
import type { ChannelRow } from "./channel";

type Patch = Partial<Pick<ChannelRow, "priority" | "weight" | "isEnabled">>;

/** Shows a change before the server has said yes. Answers how to take it back. */
function useOptimism() {
  const { channels } = useTRPC();
  const client = useQueryClient();
  return async (channelId: string, patch: Patch): Promise<() => void> => {
    const all = { queryKey: channels.pathKey() };
    await client.cancelQueries(all);
    const before = client.getQueriesData(all);
    client.setQueryData(channels.list.queryKey(), (rows) =>
      rows?.map((row) => (row.id === channelId ? { ...row, ...patch } : row)),
    );
    client.setQueryData(
      channels.get.queryKey({ channelId }),
      (channel) => channel && { ...channel, ...patch },
    );
    return () => {
      for (const [queryKey, data] of before) {
        client.setQueryData(queryKey, data);
      }
    };
  };
}

export function useSetEnabled({ id, name }: Pick<ChannelRow, "id" | "name">) {
  const t = useTranslations("channels");
  const apply = useOptimism();
  const { mutate } = useMutation(
    useTRPC().channels.setEnabled.mutationOptions({
      onMutate: ({ isEnabled }) => apply(id, { isEnabled }),
      onError: (_error, _input, takeBack) => takeBack?.(),
      onSuccess: (_data, { isEnabled }) => {
        const message = t(isEnabled ? "enabledNotice" : "disabledNotice", { name });
        notifications.show({ message, role: "status" });
      },
    }),
  );
  return (isEnabled: boolean) => mutate({ channelId: id, isEnabled });
}

/** Sets a channel's place among the others from within the list. */
export function useSetPlace(channelId: string) {
  const apply = useOptimism();
  const { mutate } = useMutation(
    useTRPC().channels.update.mutationOptions({
      onMutate: ({ priority, weight }) =>
        apply(channelId, {
          ...(priority !== undefined && { priority }),
          ...(weight !== undefined && { weight }),
        }),
      onError: (_error, _input, takeBack) => takeBack?.(),
    }),
  );
  return (place: { priority: number } | { weight: number }) => mutate({ channelId, ...place });
}
