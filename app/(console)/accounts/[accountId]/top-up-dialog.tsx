import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/data/trpc";
import { useInstallation } from "../../_components/text/installation";
import { useAmount } from "../../_components/text/use-amount";
import { FormDialog } from "../../_forms/form-dialog";
import { useFields } from "../../_forms/use-fields";
import { useOnce } from "../../_forms/use-once";
import { AmountField } from "../amount-field";
import { ReasonField } from "../reason-field";
import { useAmountFault } from "../use-amount-fault";
import type { DialogProps } from "./dialog";

function useTopUp(onClose: () => void) {
  const t = useTranslations("accounts");
  const money = useAmount();
  return useMutation(
    useTRPC().accounts.topUp.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ available }, { amount }) => {
        const values = { amount: money(amount.trim()), available: money(available) };
        notifications.show({ color: "green", message: t("toppedUp", values), autoClose: 10_000 });
        onClose();
      },
    }),
  );
}

export function TopUpDialog({ account, onClose }: DialogProps) {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  const { currency } = useInstallation();
  const amountFault = useAmountFault();
  const change = useTopUp(onClose);
  const once = useOnce();
  const { form, field } = useFields(
    { amount: "", reason: "" },
    {
      checks: {
        amount: (amount) => amountFault(amount, "aboveZero"),
        reason: (reason) => (reason.trim() === "" ? common("required") : null),
      },
      send: (values) => change.mutate({ accountId: account.id, once, ...values }),
    },
  );
  return (
    <FormDialog {...form} title={t("topUpTitle")} action={t("topUp")} change={change} onClose={onClose}>
      <Text size="sm">{t("topUpText")}</Text>
      <AmountField
        data-autofocus
        label={t("amount")}
        description={t("amountHint", { currency })}
        {...field("amount")}
      />
      <ReasonField required placeholder={t("topUpReasonPlaceholder")} {...field("reason")} />
    </FormDialog>
  );
}
