import { Button, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { Card } from "../../_components/cards/card";
import { useTRPC } from "../../_components/data/trpc";
import { CodeBlock } from "../../_components/snippets/code-block";
import { useInstallation } from "../../_components/text/installation";
import { Timestamp } from "../../_components/text/timestamp";
import { FailureAlert } from "../../_forms/failure-alert";
import { useFields } from "../../_forms/use-fields";
import { AmountField } from "../../accounts/amount-field";
import { EmailField } from "../../accounts/email-field";
import { useAmountFault } from "../../accounts/use-amount-fault";
import { emailFault } from "../../accounts/user-fields";
import { FirstRequest } from "./first-request";

/** Enough for a first call of any model, and little to lose. */
const before = { email: "", quota: "10" };

/** Makes an account for a customer, and shows the link with which the customer begins. */
export function FirstCustomer() {
  const t = useTranslations("sale");
  const accounts = useTranslations("accounts");
  const users = useTranslations("users");
  const { currency } = useInstallation();
  const amountFault = useAmountFault();
  const creation = useMutation(useTRPC().accounts.create.mutationOptions({ meta: { showsFailure: true } }));
  const { form, field } = useFields(before, {
    checks: {
      email: (email) => (emailFault(email) ? accounts("invalidEmail") : null),
      quota: (quota) => amountFault(quota, "zero"),
    },
    send: ({ email, quota }) => creation.mutate({ name: email.trim(), email: email.trim(), quota }),
  });
  if (creation.data?.invitation) {
    const { id, invitation } = creation.data;
    const label = users("linkOf", { email: invitation.email });
    return (
      <>
        <Card title={t("linkTitle")} text={t("linkText")}>
          <Stack gap={4}>
            <Text size="sm" fw={500} className="wrap-anywhere">
              {label}
            </Text>
            <CodeBlock code={invitation.url} label={label} />
            <Text size="sm" c="dimmed">
              {users("linkExpires")} <Timestamp at={invitation.expiresAt} exact />
            </Text>
          </Stack>
        </Card>
        <FirstRequest accountId={id} />
      </>
    );
  }
  return (
    <form {...form}>
      <Card title={t("customerTitle")} text={t("customerText")}>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <EmailField label={accounts("email")} {...field("email")} />
          <AmountField
            label={accounts("monthlyQuota")}
            description={accounts("monthlyQuotaHint", { currency })}
            inputWrapperOrder={["label", "input", "description", "error"]}
            {...field("quota")}
          />
        </SimpleGrid>
        <FailureAlert error={creation.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={creation.isPending}>
            {t("customerAction")}
          </Button>
        </Group>
      </Card>
    </form>
  );
}
