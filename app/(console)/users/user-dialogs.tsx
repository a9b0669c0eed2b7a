import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/trpc";
import { FormDialog } from "../_forms/form-dialog";
import { LinkOnce } from "./link-once";
import type { UserRow } from "./user";

type Props = { user: UserRow; onClose: () => void };

function NewLink({ user, onClose }: Props) {
  const t = useTranslations("users");
  const { email } = user;
  const reset = useMutation(useTRPC().users.resetPassword.mutationOptions({ meta: { showsFailure: true } }));
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

/** What each change asks the server for. */
function usePlainChanges() {
  const { users } = useTRPC();
  const options = { meta: { showsFailure: true } };
  const totp = useMutation(users.resetTotp.mutationOptions(options));
  const unlinking = useMutation(users.unlink.mutationOptions(options));
  const sessions = useMutation(users.signOut.mutationOptions(options));
  const status = useMutation(users.setStatus.mutationOptions(options));
  const role = useMutation(users.setReadOnly.mutationOptions(options));
  const removal = useMutation(users.remove.mutationOptions(options));
  const erasure = useMutation(users.erase.mutationOptions(options));
  type Done = { onSuccess: () => void };
  type Change = {
    mutation: { isPending: boolean; error: { message: string } | null };
    run: (userId: string, done: Done) => void;
  };
  return {
    resetTotp: { mutation: totp, run: (userId, done) => totp.mutate({ userId }, done) },
    unlink: { mutation: unlinking, run: (userId, done) => unlinking.mutate({ userId }, done) },
    signOut: { mutation: sessions, run: (userId, done) => sessions.mutate({ userId }, done) },
    disable: { mutation: status, run: (userId, done) => status.mutate({ userId, status: "disabled" }, done) },
    enable: { mutation: status, run: (userId, done) => status.mutate({ userId, status: "active" }, done) },
    makeViewer: { mutation: role, run: (userId, done) => role.mutate({ userId, isReadOnly: true }, done) },
    makeOperator: { mutation: role, run: (userId, done) => role.mutate({ userId, isReadOnly: false }, done) },
    remove: { mutation: removal, run: (userId, done) => removal.mutate({ userId }, done) },
    erase: { mutation: erasure, run: (userId, done) => erasure.mutate({ userId }, done) },
  } satisfies Record<string, Change>;
}

type PlainChange = keyof ReturnType<typeof usePlainChanges>;
export type UserChange = "newLink" | PlainChange;

/** What gives somebody more than they had. */
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

/** What an operator may do to somebody's sign-in, each after a word of warning. */
export function UserDialog({ change, ...props }: Props & { change: UserChange }) {
  return change === "newLink" ? <NewLink {...props} /> : <Plain {...props} change={change} />;
}
