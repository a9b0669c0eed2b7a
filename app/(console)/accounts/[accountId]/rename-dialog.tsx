import { TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/data/trpc";
import { FormDialog } from "../../_forms/form-dialog";
import { useFields } from "../../_forms/use-fields";
import type { DialogProps } from "./dialog";

export function RenameDialog({ account, onClose }: DialogProps) {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  const trpc = useTRPC();
  const change = useMutation(
    trpc.accounts.rename.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: (_, { name }) => {
        notifications.show({ color: "green", message: t("renamed", { name }) });
        onClose();
      },
    }),
  );
  const { form, field } = useFields(
    { name: account.name },
    {
      checks: { name: (name) => (name.trim() === "" ? common("required") : null) },
      send: ({ name }) => change.mutate({ accountId: account.id, name: name.trim() }),
    },
  );
  return (
    <FormDialog {...form} title={t("renameTitle")} action={common("save")} change={change} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label={t("name")}
        maxLength={100}
        autoComplete="off"
        {...field("name")}
      />
    </FormDialog>
  );
}
