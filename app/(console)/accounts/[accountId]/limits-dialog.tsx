import { Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/trpc";
import { FormDialog } from "../../_forms/form-dialog";
import { LimitFields } from "../limit-fields";
import { readLimits, typedLimits, useLimitFaults } from "../use-limit-faults";
import type { DialogProps } from "./dialog";

/** Edits the limits of all keys of the account together. */
export function LimitsDialog({ account, onClose }: DialogProps) {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  const form = useForm({
    initialValues: typedLimits(account),
    validate: useLimitFaults(),
  });
  const change = useMutation(
    useTRPC().accounts.setLimits.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => {
        notifications.show({ color: "green", message: t("limitsSet") });
        onClose();
      },
    }),
  );
  const submit = form.onSubmit((typed) => change.mutate({ accountId: account.id, ...readLimits(typed) }));
  return (
    <FormDialog
      title={t("setLimitsTitle")}
      action={common("save")}
      change={change}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">{t("setLimitsText")}</Text>
      <LimitFields form={form} />
    </FormDialog>
  );
}
