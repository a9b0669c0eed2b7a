import { Group, Radio, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { formatMoney, nanos, parseMoney } from "@/server/base/money";
import { FigureList } from "../../_components/cards/figure-list";
import { useTRPC } from "../../_components/data/trpc";
import { useInstallation } from "../../_components/text/installation";
import { ShortMoney } from "../../_components/text/money";
import { useAmount } from "../../_components/text/use-amount";
import { FormDialog } from "../../_forms/form-dialog";
import { useFields } from "../../_forms/use-fields";
import { useOnce } from "../../_forms/use-once";
import { AmountField } from "../amount-field";
import { ReasonField } from "../reason-field";
import { useAmountFault } from "../use-amount-fault";
import type { DialogProps } from "./dialog";

const directions = ["credit", "debit"] as const;

type AdjustmentDraft = { direction: (typeof directions)[number]; amount: string; reason: string };

const unadjusted: AdjustmentDraft = { direction: "credit", amount: "", reason: "" };

/** The typed amount as the operation takes it: negative for a debit. null: not an amount yet. */
function changeOf({ direction, amount }: AdjustmentDraft) {
  const typed = parseMoney(amount);
  return typed === null || typed <= 0n ? null : nanos(direction === "debit" ? -typed : typed);
}

function useAdjust({ account, onClose }: DialogProps) {
  const t = useTranslations("accounts");
  const money = useAmount();
  return useMutation(
    useTRPC().accounts.adjust.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: ({ available }, { amount }) => {
        const values = {
          amount: money(amount.replace("-", "")),
          name: account.name,
          available: money(available),
        };
        const message = t(amount.startsWith("-") ? "debited" : "credited", values);
        notifications.show({ color: "green", message, autoClose: 10_000 });
        onClose();
      },
    }),
  );
}

/** The available money before and after the change. The final amount is the server's: calls continue meanwhile. */
function BeforeAndAfter({ available, draft }: { available: string; draft: AdjustmentDraft }) {
  const t = useTranslations("accounts");
  const before = parseMoney(available) ?? 0n;
  const change = changeOf(draft);
  const after = change === null ? null : formatMoney(nanos(before + change));
  return (
    <FigureList
      figures={[
        { id: "before", name: t("availableBefore"), value: <ShortMoney decimals={2} value={available} /> },
        {
          id: "after",
          name: t("availableAfter"),
          value: after === null ? "—" : <ShortMoney decimals={2} value={after} />,
        },
      ]}
    />
  );
}

/** A credit or a debit of the current month that is neither a top-up nor a refund: the statement shows its reason. */
export function AdjustDialog({ account, onClose }: DialogProps) {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  const money = useAmount();
  const { currency } = useInstallation();
  const amountFault = useAmountFault();
  const adjustment = useAdjust({ account, onClose });
  const once = useOnce();
  const { form, values, change, field } = useFields(unadjusted, {
    checks: {
      amount: (amount) => amountFault(amount, "aboveZero"),
      reason: (reason) => (reason.trim() === "" ? common("required") : null),
    },
    send: (draft) =>
      adjustment.mutate({
        accountId: account.id,
        amount: formatMoney(changeOf(draft) ?? nanos(0n)),
        reason: draft.reason,
        once,
      }),
  });
  const { direction, amount } = values;
  const isKnown = changeOf(values) !== null;
  return (
    <FormDialog
      {...form}
      title={t("adjustTitle")}
      action={isKnown ? t(`${direction}Amount`, { amount: money(amount.trim()) }) : t(direction)}
      isDanger={direction === "debit"}
      change={adjustment}
      onClose={onClose}
    >
      <Text size="sm">{t("adjustText")}</Text>
      <Radio.Group
        label={t("adjustDirection")}
        value={direction}
        onChange={(chosen) => change({ direction: chosen === "debit" ? "debit" : "credit" })}
      >
        <Group gap="lg" mt={6}>
          {directions.map((choice) => (
            <Radio key={choice} value={choice} label={t(choice)} />
          ))}
        </Group>
      </Radio.Group>
      <AmountField
        data-autofocus
        label={t("amount")}
        description={t("amountHint", { currency })}
        {...field("amount")}
      />
      <ReasonField required placeholder={t("adjustReasonPlaceholder")} {...field("reason")} />
      <BeforeAndAfter available={account.month.available} draft={values} />
    </FormDialog>
  );
}
