import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/data/trpc";
import { FormDialog } from "../../_forms/form-dialog";
import { useFields } from "../../_forms/use-fields";
import { LimitFields } from "../limit-fields";
import { readLimits, typedLimits, useLimitFaults } from "../use-limit-faults";
import type { DialogProps } from "./dialog";

/** Edits the limits of all keys of the account together. */
export function LimitsDialog({ account, onClose }: DialogProps) {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  const change = useMutation(
    useTRPC().accounts.setLimits.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => {
        notifications.show({ color: "green", message: t("limitsSet") });
        onClose();
      },
    }),
  );
  const { form, field } = useFields(typedLimits(account), {
    checks: useLimitFaults(),
    send: (typed) => change.mutate({ accountId: account.id, ...readLimits(typed) }),
  });
  return (
    <FormDialog
      {...form}
      title={t("setLimitsTitle")}
      action={common("save")}
      change={change}
      onClose={onClose}
    >
      <Text size="sm">{t("setLimitsText")}</Text>
      <LimitFields field={field} />
    </FormDialog>
  );
}
