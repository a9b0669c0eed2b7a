import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { parseMoney } from "@/server/base/money";
import { useTRPC } from "../../_components/data/trpc";
import { useInstallation } from "../../_components/text/installation";
import { useAmount } from "../../_components/text/use-amount";
import { FormDialog } from "../../_forms/form-dialog";
import { useFields } from "../../_forms/use-fields";
import { AmountField } from "../amount-field";
import { ReasonField } from "../reason-field";
import { useAmountFault } from "../use-amount-fault";
import type { DialogProps } from "./dialog";

/** The notice says the month's new quota, which is higher than requested if more is already spent. */
function useSetQuota(onClose: () => void) {
  const t = useTranslations("accounts");
  const amount = useAmount();
  return useMutation(
    useTRPC().accounts.setQuota.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ thisMonth }, { quota }) => {
        const isFloor = parseMoney(thisMonth) !== parseMoney(quota);
        const message = t(isFloor ? "quotaFloor" : "quotaSet", { amount: amount(thisMonth) });
        notifications.show({ color: isFloor ? "orange" : "green", message, autoClose: 10_000 });
        onClose();
      },
    }),
  );
}

export function SetQuotaDialog({ account, onClose }: DialogProps) {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  const { currency } = useInstallation();
  const amountFault = useAmountFault();
  const change = useSetQuota(onClose);
  const { form, field } = useFields(
    { quota: account.quota, reason: "" },
    {
      checks: { quota: (quota) => amountFault(quota, "zero") },
      send: ({ quota, reason }) =>
        change.mutate({ accountId: account.id, quota, ...(reason.trim() !== "" && { reason }) }),
    },
  );
  return (
    <FormDialog
      {...form}
      title={t("setQuotaTitle")}
      action={common("save")}
      change={change}
      onClose={onClose}
    >
      <Text size="sm">{t("setQuotaText")}</Text>
      <AmountField
        data-autofocus
        label={t("monthlyQuota")}
        description={t("amountHint", { currency })}
        {...field("quota")}
      />
      <ReasonField label={t("reasonOptional")} {...field("reason")} />
    </FormDialog>
  );
}
