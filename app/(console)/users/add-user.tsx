import { Checkbox } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/trpc";
import { FormDialog } from "../_forms/form-dialog";
import { EmailField } from "../accounts/email-field";
import { emailFault } from "../accounts/user-fields";
import { LinkOnce } from "./link-once";

type Props = {
  /** null: somebody who runs the gateway. */
  accountId: string | null;
  onClose: () => void;
};

/** Adds a user, then shows the link for them this once. */
export function AddUser({ accountId, onClose }: Props) {
  const t = useTranslations("users");
  const form = useForm({
    initialValues: { email: "", isReadOnly: false },
    validate: { email: (email) => (emailFault(email) ? t("invalidEmail") : null) },
  });
  const addition = useMutation(useTRPC().users.add.mutationOptions({ meta: { showsFailure: true } }));
  if (addition.data) {
    return <LinkOnce title={t("userAdded")} user={addition.data} onClose={onClose} />;
  }
  const title = t(accountId === null ? "addOperator" : "addUser");
  return (
    <FormDialog
      title={title}
      action={t("addAction")}
      change={addition}
      onSubmit={form.onSubmit(({ email, isReadOnly }) => addition.mutate({ accountId, email, isReadOnly }))}
      onClose={onClose}
    >
      <EmailField
        data-autofocus
        label={t("email")}
        description={t("emailHint")}
        {...form.getInputProps("email")}
      />
      {accountId === null && (
        <Checkbox
          label={t("readOnly")}
          description={t("readOnlyHint")}
          {...form.getInputProps("isReadOnly", { type: "checkbox" })}
        />
      )}
    </FormDialog>
  );
}
