import { Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { AccountLimits } from "@/server/access/schema";
import { useTRPC } from "../../_components/trpc";
import { FormDialog } from "../form-dialog";
import type { DialogProps } from "./dialog";

const names = ["maxConcurrent", "requestsPerMinute"] as const;

/** null: no limit. */
const limitOf = (typed: string) => (typed.trim() === "" ? null : Number(typed));

/** What an operator allows all keys of the account together. */
export function LimitsDialog({ account, onClose }: DialogProps) {
  const t = useTranslations("accounts");
  const common = useTranslations("common");
  const fault = (name: (typeof names)[number]) => (typed: string) =>
    AccountLimits.shape[name].safeParse(limitOf(typed)).success ? null : t(`${name}Problem`);
  const form = useForm({
    mode: "uncontrolled",
    initialValues: {
      maxConcurrent: String(account.maxConcurrent ?? ""),
      requestsPerMinute: String(account.requestsPerMinute ?? ""),
    },
    validate: { maxConcurrent: fault("maxConcurrent"), requestsPerMinute: fault("requestsPerMinute") },
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
  const submit = form.onSubmit(({ maxConcurrent, requestsPerMinute }) =>
    change.mutate({
      accountId: account.id,
      maxConcurrent: limitOf(maxConcurrent),
      requestsPerMinute: limitOf(requestsPerMinute),
    }),
  );
  return (
    <FormDialog
      title={t("setLimitsTitle")}
      action={common("save")}
      change={change}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm">{t("setLimitsText")}</Text>
      {names.map((name) => (
        <TextInput
          key={form.key(name)}
          label={t(name)}
          description={t(`${name}Hint`)}
          placeholder={common("any")}
          inputMode="numeric"
          maxLength={10}
          autoComplete="off"
          {...form.getInputProps(name)}
        />
      ))}
    </FormDialog>
  );
}
