import { List, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/data/trpc";
import { FormDialog } from "../../_forms/form-dialog";
import type { DialogProps } from "./dialog";

function useSetStatus({ account, onClose }: DialogProps, notice: "enabledNotice" | "disabledNotice") {
  const t = useTranslations("accounts");
  return useMutation(
    useTRPC().accounts.setStatus.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => {
        notifications.show({ color: "green", message: t(notice, { name: account.name }) });
        onClose();
      },
    }),
  );
}

/** Says what continues and what stops. */
export function DisableDialog(props: DialogProps) {
  const t = useTranslations("accounts");
  const change = useSetStatus(props, "disabledNotice");
  const { account, onClose } = props;
  return (
    <FormDialog
      title={t("disableTitle", { name: account.name })}
      action={t("disableAction")}
      isDanger
      change={change}
      onSubmit={() => change.mutate({ accountId: account.id, status: "disabled" })}
      onClose={onClose}
    >
      <List size="sm" spacing="xs">
        <List.Item>{t("disableKeys")}</List.Item>
        <List.Item>{t("disableSessions")}</List.Item>
        <List.Item>{t("disableVideos")}</List.Item>
        <List.Item>{t("disableMoney")}</List.Item>
      </List>
    </FormDialog>
  );
}

export function EnableDialog(props: DialogProps) {
  const t = useTranslations("accounts");
  const change = useSetStatus(props, "enabledNotice");
  const { account, onClose } = props;
  return (
    <FormDialog
      title={t("enableTitle", { name: account.name })}
      action={t("enableAction")}
      change={change}
      onSubmit={() => change.mutate({ accountId: account.id, status: "active" })}
      onClose={onClose}
    >
      <Text size="sm">{t("enableText")}</Text>
    </FormDialog>
  );
}
