import { TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/trpc";
import { FormDialog } from "../../_forms/form-dialog";
import type { DialogProps } from "./dialog";

export function RenameDialog({ account, onClose }: DialogProps) {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  const trpc = useTRPC();
  const form = useForm({
    initialValues: { name: account.name },
    validate: { name: (name) => (name.trim() === "" ? common("required") : null) },
  });
  const change = useMutation(
    trpc.accounts.rename.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: (_, { name }) => {
        notifications.show({ color: "green", message: t("renamed", { name }) });
        onClose();
      },
    }),
  );
  return (
    <FormDialog
      title={t("renameTitle")}
      action={common("save")}
      change={change}
      onSubmit={form.onSubmit(({ name }) => change.mutate({ accountId: account.id, name: name.trim() }))}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        required
        label={t("name")}
        maxLength={100}
        autoComplete="off"
        {...form.getInputProps("name")}
      />
    </FormDialog>
  );
}
