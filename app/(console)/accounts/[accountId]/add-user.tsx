"use client";

import { PasswordInput, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../../_components/trpc";
import { FormDialog } from "../form-dialog";
import { PasswordOnce } from "../password-once";
import { emailFault, MIN_PASSWORD_CHARACTERS } from "../user-fields";

/** Adds a user, then shows the password this once. */
export function AddUser({ accountId, onClose }: { accountId: string; onClose: () => void }) {
  const t = useTranslations("accounts");
  const form = useForm({
    mode: "uncontrolled",
    initialValues: { email: "", password: "" },
    validate: {
      email: (email) => (emailFault(email) ? t("invalidEmail") : null),
      password: (password) =>
        password !== "" && password.length < MIN_PASSWORD_CHARACTERS ? t("passwordHint") : null,
    },
  });
  const addition = useMutation(
    useTRPC().accounts.users.add.mutationOptions({ meta: { showsFailure: true } }),
  );
  if (addition.data) {
    return <PasswordOnce title={t("userAdded")} user={addition.data} onClose={onClose} />;
  }
  return (
    <FormDialog
      title={t("addUserTitle")}
      action={t("addUserAction")}
      change={addition}
      onSubmit={form.onSubmit(({ email, password }) =>
        addition.mutate({ accountId, email, ...(password !== "" && { password }) }),
      )}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        required
        type="email"
        label={t("userEmail")}
        description={t("emailHint")}
        maxLength={254}
        autoComplete="off"
        key={form.key("email")}
        {...form.getInputProps("email")}
      />
      <PasswordInput
        label={t("password")}
        description={t("passwordHint")}
        maxLength={1024}
        autoComplete="new-password"
        key={form.key("password")}
        {...form.getInputProps("password")}
      />
    </FormDialog>
  );
}
