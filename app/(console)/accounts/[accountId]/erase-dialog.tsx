import { List } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/data/trpc";
import { FormDialog } from "../../_forms/form-dialog";
import type { DialogProps } from "./dialog";

/** Says which data is deleted for good and which stays. */
export function EraseDialog({ account, onClose }: DialogProps) {
  const t = useTranslations("accounts");
  const change = useMutation(
    useTRPC().accounts.erase.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => {
        notifications.show({ color: "green", message: t("eraseNotice") });
        onClose();
      },
    }),
  );
  return (
    <FormDialog
      title={t("eraseTitle", { name: account.name })}
      action={t("eraseAction")}
      isDanger
      change={change}
      onSubmit={() => change.mutate({ accountId: account.id })}
      onClose={onClose}
    >
      <List size="sm" spacing="xs">
        <List.Item>{t("eraseNames")}</List.Item>
        <List.Item>{t("erasePeople")}</List.Item>
        <List.Item>{t("eraseWords")}</List.Item>
        <List.Item>{t("eraseMoney")}</List.Item>
      </List>
    </FormDialog>
  );
}
