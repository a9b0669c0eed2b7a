import { Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { parseMoney } from "@/server/base/money";
import type { Installation } from "@/server/console";
import { useTRPC } from "../_components/data/trpc";
import { useAmount } from "../_components/text/use-amount";
import { FormDialog } from "../_forms/form-dialog";
import { useFields } from "../_forms/use-fields";
import { AmountField } from "../accounts/amount-field";
import { useAmountFault } from "../accounts/use-amount-fault";
import { TopUpValidity } from "./top-up-validity";

type PaymentTerms = NonNullable<Installation["payments"]>;

/** The problem of an amount, in words; null: none. */
function usePayableFault({ min, max, step }: PaymentTerms) {
  const t = useTranslations("payments");
  const money = useAmount();
  const fault = useAmountFault();
  const amountOf = (text: string) => parseMoney(text) ?? 0n;
  return (text: string) => {
    if (fault(text, "aboveZero") !== null) {
      return fault(text, "aboveZero");
    }
    if (amountOf(text) < amountOf(min) || amountOf(text) > amountOf(max)) {
      return t("amountBounds", { min: money(min), max: money(max) });
    }
    return amountOf(text) % amountOf(step) === 0n ? null : t("amountUneven", { step: money(step) });
  };
}

/**
 * Opens the payment provider's page. Only the provider's message says that a payment was made, not the return from
 * its page.
 */
export function PayDialog({ terms, onClose }: { terms: PaymentTerms; onClose: () => void }) {
  const t = useTranslations("payments");
  const fault = usePayableFault(terms);
  const change = useMutation(
    useTRPC().payments.create.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ url }) => window.location.assign(url),
    }),
  );
  const { form, field } = useFields(
    { amount: "" },
    { checks: { amount: fault }, send: ({ amount }) => change.mutate({ amount: amount.trim() }) },
  );
  const money = useAmount();
  return (
    <FormDialog
      {...form}
      title={t("payTitle")}
      action={t("payAction")}
      change={change}
      isReady={!change.isSuccess}
      onClose={onClose}
    >
      <Text size="sm">{t("payText", { provider: t(`providers.${terms.provider}`) })}</Text>
      <AmountField
        data-autofocus
        label={t("amount")}
        description={t("bounds", { min: money(terms.min), max: money(terms.max) })}
        {...field("amount")}
      />
      <TopUpValidity />
    </FormDialog>
  );
}
