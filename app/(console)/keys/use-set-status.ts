import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import type { KeyRow } from "./key";

type Status = KeyRow["status"];

/** Switches a key on or off. The page shows the server's state and changes only with it. */
export function useSetStatus({ id, name }: Pick<KeyRow, "id" | "name">) {
  const t = useTranslations("keys");
  const { mutate, isPending } = useMutation(
    useTRPC().keys.setStatus.mutationOptions({
      onSuccess: (_data, { status }) => {
        const message = status === "active" ? "enabledNotice" : "disabledNotice";
        notifications.show({ message: t(message, { name }), role: "status" });
      },
    }),
  );
  return { setStatus: (status: Status) => mutate({ keyId: id, status }), isPending };
}
