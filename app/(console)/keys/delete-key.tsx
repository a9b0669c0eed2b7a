import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { ConfirmByName } from "../_forms/confirm-by-name";
import type { KeyRow } from "./key";

type Props = {
  entry: Pick<KeyRow, "id" | "name" | "lastFour">;
  onClose: () => void;
  onDeleted: () => void;
};

export function DeleteKey({ entry: { id, name, lastFour }, onClose, onDeleted }: Props) {
  const t = useTranslations("keys");
  const trpc = useTRPC();
  const { mutate, isPending } = useMutation(
    trpc.keys.delete.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: t("deletedNotice", { name }), role: "status" });
        onDeleted();
      },
    }),
  );
  return (
    <ConfirmByName
      title={t("deleteTitle")}
      name={name}
      action={t("deleteAction")}
      isBusy={isPending}
      onConfirm={() => mutate({ keyId: id })}
      onClose={onClose}
    >
      {t("deleteText", { name, lastFour })}
    </ConfirmByName>
  );
}
