import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { useAmount } from "../_components/text/use-amount";
import { useMonthName } from "../_components/text/use-month-name";
import { FormDialog } from "../_forms/form-dialog";
import { useFields } from "../_forms/use-fields";
import { useOnce } from "../_forms/use-once";
import { AmountField } from "../accounts/amount-field";
import { ReasonField } from "../accounts/reason-field";
import { useAmountFault } from "../accounts/use-amount-fault";
import type { CallDetail } from "./call";

type Props = { call: CallDetail; left: string; onClose: () => void };

/** Refunds a charge, or a part of it, to the account's current month. */
export function RefundDialog({ call, left, onClose }: Props) {
  const t = useTranslations("requests");
  const common = useTranslations("common");
  const money = useAmount();
  const monthName = useMonthName();
  const amountFault = useAmountFault();
  const once = useOnce();
  const change = useMutation(
    useTRPC().allCalls.refund.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ amount, period }) => {
        const message = t("refunded", { amount: money(amount), period: monthName(period) });
        notifications.show({ color: "green", message, role: "status" });
        onClose();
      },
    }),
  );
  const { requestId, account } = call;
  const { form, field } = useFields(
    { amount: left, reason: "" },
    {
      checks: {
        amount: (amount) => amountFault(amount, "aboveZero"),
        reason: (reason) => (reason.trim() === "" ? common("required") : null),
      },
      send: (values) =>
        change.mutate({ requestId, once, ...(account && { accountId: account.id }), ...values }),
    },
  );
  return (
    <FormDialog
      {...form}
      title={t("refundTitle")}
      action={t("refundAction")}
      change={change}
      onClose={onClose}
    >
      <Text size="sm">{t("refundText")}</Text>
      <AmountField
        data-autofocus
        label={t("refundAmount")}
        description={t("refundLeft", { amount: money(left) })}
        {...field("amount")}
      />
      <ReasonField
        required
        label={t("refundReason")}
        description={t("refundReasonHint")}
        {...field("reason")}
      />
    </FormDialog>
  );
}
