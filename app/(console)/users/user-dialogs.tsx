import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { useTranslations } from "use-intl";
import { FormDialog } from "../_forms/form-dialog";
import { LinkOnce } from "./link-once";
import { RoleField } from "./role-field";
import { useUsers } from "./use-users";
import type { UserRow } from "./user";

type Props = { user: UserRow; onClose: () => void };

function NewLink({ user, onClose }: Props) {
  const t = useTranslations("users");
  const { email } = user;
  const { resetPassword: reset } = useUsers();
  if (reset.data) {
    return <LinkOnce title={t("linkReady")} user={reset.data} onClose={onClose} />;
  }
  const kind = user.hasPassword ? "resetPassword" : "inviteAgain";
  return (
    <FormDialog
      title={t(`${kind}Title`, { email })}
      action={t(`${kind}Action`)}
      isDanger={user.hasPassword}
      change={reset}
      onSubmit={() => reset.mutate({ userId: user.id })}
      onClose={onClose}
    >
      <Text size="sm">{t(`${kind}Text`)}</Text>
    </FormDialog>
  );
}

/** The mutation of each change. */
function usePlainChanges() {
  const {
    resetTotp: totp,
    unlink: unlinking,
    signOut: sessions,
    setStatus: status,
    remove: removal,
    erase: erasure,
  } = useUsers();
  type MutateOptions = { onSuccess: () => void };
  type UserMutation = {
    mutation: { isPending: boolean; error: { message: string } | null };
    run: (userId: string, done: MutateOptions) => void;
  };
  return {
    resetTotp: { mutation: totp, run: (userId, done) => totp.mutate({ userId }, done) },
    unlink: { mutation: unlinking, run: (userId, done) => unlinking.mutate({ userId }, done) },
    signOut: { mutation: sessions, run: (userId, done) => sessions.mutate({ userId }, done) },
    disable: { mutation: status, run: (userId, done) => status.mutate({ userId, status: "disabled" }, done) },
    enable: { mutation: status, run: (userId, done) => status.mutate({ userId, status: "active" }, done) },
    remove: { mutation: removal, run: (userId, done) => removal.mutate({ userId }, done) },
    erase: { mutation: erasure, run: (userId, done) => erasure.mutate({ userId }, done) },
  } satisfies Record<string, UserMutation>;
}

type PlainChange = keyof ReturnType<typeof usePlainChanges>;
export type UserChange = "newLink" | "role" | PlainChange;

/** Changes that take nothing away from the user. */
const harmless: readonly PlainChange[] = ["enable"];

function Plain({ user, onClose, change }: Props & { change: PlainChange }) {
  const t = useTranslations("users");
  const { email } = user;
  const { mutation, run } = usePlainChanges()[change];
  const onSuccess = () => {
    notifications.show({ color: "green", message: t(`${change}Done`, { email }) });
    onClose();
  };
  return (
    <FormDialog
      title={t(`${change}Title`, { email })}
      action={t(`${change}Action`)}
      isDanger={!harmless.includes(change)}
      change={mutation}
      onSubmit={() => run(user.id, { onSuccess })}
      onClose={onClose}
    >
      <Text size="sm">{t(`${change}Text`)}</Text>
    </FormDialog>
  );
}

function NewRole({ user, onClose }: Props) {
  const t = useTranslations("users");
  const [role, setRole] = useState(user.role);
  const { setRole: change } = useUsers();
  const { email } = user;
  const onSuccess = () => {
    notifications.show({ color: "green", message: t("roleDone", { email, role: t(`role_${role}`) }) });
    onClose();
  };
  return (
    <FormDialog
      title={t("roleTitle", { email })}
      action={t("roleAction")}
      change={change}
      onSubmit={() => change.mutate({ userId: user.id, role }, { onSuccess })}
      onClose={onClose}
    >
      <RoleField value={role} onChange={setRole} />
      <Text size="sm">{t("roleText")}</Text>
    </FormDialog>
  );
}

/** The dialog for a change of a user, which confirms each one first. */
export function UserDialog({ change, ...props }: Props & { change: UserChange }) {
  if (change === "newLink") {
    return <NewLink {...props} />;
  }
  return change === "role" ? <NewRole {...props} /> : <Plain {...props} change={change} />;
}
