import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { ConfirmByName } from "../_forms/confirm-by-name";

type Props = {
  channel: { id: string; name: string; modelCount: number };
  onClose: () => void;
  onRemoved?: () => void;
};

export function RemoveChannel({ channel: { id, name, modelCount }, onClose, onRemoved }: Props) {
  const t = useTranslations("channels");
  const { mutate, isPending } = useMutation(
    useTRPC().channels.remove.mutationOptions({
      onSuccess: () => {
        notifications.show({ message: t("removedNotice", { name }), role: "status" });
        onClose();
        onRemoved?.();
      },
    }),
  );
  return (
    <ConfirmByName
      title={t("removeTitle")}
      name={name}
      action={t("removeAction")}
      isBusy={isPending}
      onConfirm={() => mutate({ channelId: id })}
      onClose={onClose}
    >
      {t("removeText", { name, count: modelCount })}
    </ConfirmByName>
  );
}
