import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/trpc";

/** Puts a model on sale or takes it off: on screen at once, and back when the server refuses. */
export function useSetEnabled(id: string) {
  const t = useTranslations("prices");
  const { prices } = useTRPC();
  const client = useQueryClient();
  const listKey = prices.list.queryKey();
  const { mutate } = useMutation(
    prices.update.mutationOptions({
      onMutate: async ({ enabled: isEnabled = true }) => {
        await client.cancelQueries({ queryKey: listKey });
        const before = client.getQueryData(listKey);
        client.setQueryData(
          listKey,
          (list) =>
            list && {
              ...list,
              models: list.models.map((model) => (model.id === id ? { ...model, isEnabled } : model)),
            },
        );
        return { before };
      },
      onError: (_error, _input, context) => client.setQueryData(listKey, context?.before),
      onSuccess: (_data, { enabled }) => {
        const message = t(enabled ? "enabledNotice" : "disabledNotice", { name: id });
        notifications.show({ message, role: "status" });
      },
    }),
  );
  return (enabled: boolean) => mutate({ id, enabled });
}
