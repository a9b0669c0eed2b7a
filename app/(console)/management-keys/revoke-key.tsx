import { notifications } from "@mantine/notifications";
import { useTranslations } from "use-intl";
import { ConfirmByName } from "../_forms/confirm-by-name";
import type { ManagementKeyRow } from "./management-key";
import { useRevokeManagementKey } from "./use-management-keys";

type Props = { entry: ManagementKeyRow; onClose: () => void };

export function RevokeKey({ entry: { id, name, lastFour }, onClose }: Props) {
  const t = useTranslations("managementKeys");
  const { mutate, isPending } = useRevokeManagementKey(() => {
    notifications.show({ message: t("revokedNotice", { name }), role: "status" });
    onClose();
    // The row disappears, and its button with it.
    document.getElementById("content")?.focus();
  });
  return (
    <ConfirmByName
      title={t("revokeTitle")}
      name={name}
      action={t("revokeAction")}
      isBusy={isPending}
      onConfirm={() => mutate({ managementKeyId: id })}
      onClose={onClose}
    >
      {t("revokeText", { name, lastFour })}
    </ConfirmByName>
  );
}
