"use client";

import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/trpc";
import type { AccountUser } from "../account";
import { FormDialog } from "../form-dialog";
import { PasswordOnce } from "../password-once";

export type UserChange = "resetPassword" | "resetTotp" | "signOut";

type Props = { accountId: string; user: AccountUser; onClose: () => void };

function ResetPassword({ accountId, user, onClose }: Props) {
  const t = useTranslations("accounts");
  const { email } = user;
  const reset = useMutation(
    useTRPC().accounts.users.resetPassword.mutationOptions({ meta: { showsFailure: true } }),
  );
  if (reset.data) {
    return <PasswordOnce title={t("passwordReset")} user={reset.data} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={t("resetPasswordTitle", { email })}
      action={t("resetPasswordAction")}
      isDanger
      change={reset}
      onSubmit={() => reset.mutate({ accountId, userId: user.id })}
      onClose={onClose}
    >
      <Text size="sm">{t("resetPasswordText")}</Text>
    </FormDialog>
  );
}

const words = {
  resetTotp: {
    title: "resetTotpTitle",
    text: "resetTotpText",
    action: "resetTotpAction",
    done: "totpReset",
  },
  signOut: { title: "signOutTitle", text: "signOutText", action: "signOutAction", done: "signedOut" },
} as const;

function PlainChange({ accountId, user, onClose, change }: Props & { change: keyof typeof words }) {
  const t = useTranslations("accounts");
  const { title, text, action, done } = words[change];
  const { email } = user;
  const mutation = useMutation(
    useTRPC().accounts.users[change].mutationOptions({
      meta: { showsFailure: true },
      onSuccess: () => {
        notifications.show({ color: "green", message: t(done, { email }) });
        onClose();
      },
    }),
  );
  return (
    <FormDialog
      title={t(title, { email })}
      action={t(action)}
      isDanger
      change={mutation}
      onSubmit={() => mutation.mutate({ accountId, userId: user.id })}
      onClose={onClose}
    >
      <Text size="sm">{t(text)}</Text>
    </FormDialog>
  );
}

/** What an operator may do to somebody's sign-in, each after a word of warning. */
export function UserDialog({ change, ...props }: Props & { change: UserChange }) {
  return change === "resetPassword" ? (
    <ResetPassword {...props} />
  ) : (
    <PlainChange {...props} change={change} />
  );
}
