import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";

/** Puts a model on sale or takes it off. */
export function useSetEnabled(id: string) {
  const t = useTranslations("prices");
  const { mutate, isPending } = useMutation(
    useTRPC().prices.update.mutationOptions({
      onSuccess: (_data, { isEnabled }) => {
        const message = t(isEnabled ? "enabledNotice" : "disabledNotice", { name: id });
        notifications.show({ message, role: "status" });
      },
    }),
  );
  return { setEnabled: (isEnabled: boolean) => mutate({ id, isEnabled }), isPending };
}
