import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import type { Role } from "@/server/domain/enums";
import { useTRPC } from "../_components/data/trpc";
import { FormDialog } from "../_forms/form-dialog";
import { useFields } from "../_forms/use-fields";
import { EmailField } from "../accounts/email-field";
import { emailFault } from "../accounts/user-fields";
import { LinkOnce } from "./link-once";
import { RoleField } from "./role-field";

type NewUser = { email: string; role: Role };

type Props = {
  title: string;
  /** The preselected role: one with few permissions. */
  first: Role;
  addition: Parameters<typeof FormDialog>[0]["change"] & {
    data: Parameters<typeof LinkOnce>[0]["user"] | undefined;
  };
  onAdd: (person: NewUser) => void;
  onClose: () => void;
};

/** Adds a user, then shows that user's link, once. */
function PersonDialog({ title, first, addition, onAdd, onClose }: Props) {
  const t = useTranslations("users");
  const before: NewUser = { email: "", role: first };
  const { form, values, change, field } = useFields(before, {
    checks: { email: (email) => (emailFault(email) ? t("invalidEmail") : null) },
    send: onAdd,
  });
  if (addition.data) {
    return <LinkOnce title={t("userAdded")} user={addition.data} onClose={onClose} />;
  }
  return (
    <FormDialog {...form} title={title} action={t("addAction")} change={addition} onClose={onClose}>
      <EmailField data-autofocus label={t("email")} description={t("emailHint")} {...field("email")} />
      <RoleField value={values.role} onChange={(role) => change({ role })} />
    </FormDialog>
  );
}

const options = { meta: { showsFailure: true } };

/** For operators: adds an operator, or a user of an account if one is named. */
export function AddUser({ accountId, onClose }: { accountId: string | null; onClose: () => void }) {
  const t = useTranslations("users");
  const addition = useMutation(useTRPC().users.add.mutationOptions(options));
  return (
    <PersonDialog
      title={t(accountId === null ? "addOperator" : "addUser")}
      first={accountId === null ? "viewer" : "owner"}
      addition={addition}
      onAdd={(person) => addition.mutate({ accountId, ...person })}
      onClose={onClose}
    />
  );
}

/** For owners: adds a user to their own account. */
export function InvitePerson({ onClose }: { onClose: () => void }) {
  const t = useTranslations("users");
  const addition = useMutation(useTRPC().people.add.mutationOptions(options));
  return (
    <PersonDialog
      title={t("inviteTitle")}
      first="member"
      addition={addition}
      onAdd={addition.mutate}
      onClose={onClose}
    />
  );
}
