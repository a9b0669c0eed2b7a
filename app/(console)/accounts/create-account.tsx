import { Button, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { useTranslations } from "use-intl";
import { addresses } from "@/app/addresses";
import { useTRPC } from "../_components/data/trpc";
import { useInstallation } from "../_components/text/installation";
import { Fold } from "../_forms/fold";
import { FormDialog } from "../_forms/form-dialog";
import { useFields } from "../_forms/use-fields";
import { LinkOnce } from "../users/link-once";
import { AmountField } from "./amount-field";
import { EmailField } from "./email-field";
import { LimitFields } from "./limit-fields";
import { useAmountFault } from "./use-amount-fault";
import { readLimits, type TypedLimits, typedLimits, useLimitFaults } from "./use-limit-faults";
import { emailFault } from "./user-fields";

const noLimits = typedLimits({});
const before = { name: "", quota: "", email: "", ...noLimits };

/** Creates an account with its first user, then shows that user's link, once. */
export function CreateAccount({ onClose }: { onClose: () => void }) {
  const t = useTranslations("accounts");
  const trpc = useTRPC();
  const { currency } = useInstallation();
  const common = useTranslations("common");
  const amountFault = useAmountFault();
  const creation = useMutation(trpc.accounts.create.mutationOptions({ meta: { showsFailure: true } }));
  const { form, field } = useFields(before, {
    checks: {
      ...useLimitFaults(),
      name: (name) => (name.trim() === "" ? common("required") : null),
      quota: (quota) => amountFault(quota, "zero"),
      email: (email) => (emailFault(email) ? t("invalidEmail") : null),
    },
    send: ({ name, quota, email, ...limits }) =>
      creation.mutate({ name, quota, email, ...readLimits(limits) }),
  });
  if (creation.data?.invitation) {
    const { id, name, invitation } = creation.data;
    return (
      <LinkOnce title={t("createdTitle", { name })} user={invitation} onClose={onClose}>
        <Button component={Link} href={addresses.account(id)} variant="default">
          {t("openAccount")}
        </Button>
      </LinkOnce>
    );
  }
  return (
    <FormDialog
      {...form}
      title={t("createTitle")}
      action={t("createAction")}
      change={creation}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        required
        label={t("name")}
        description={t("nameHint")}
        placeholder={t("namePlaceholder")}
        maxLength={100}
        autoComplete="off"
        {...field("name")}
      />
      <AmountField
        label={t("monthlyQuota")}
        description={t("monthlyQuotaHint", { currency })}
        {...field("quota")}
      />
      <EmailField label={t("email")} description={t("emailHint")} {...field("email")} />
      <Fold
        title={t("setLimits")}
        hint={t("limitsHint")}
        isSet={false}
        isWrong={Object.keys(noLimits).some((name) => field(name as keyof TypedLimits).error)}
      >
        <LimitFields field={field} />
      </Fold>
    </FormDialog>
  );
}
