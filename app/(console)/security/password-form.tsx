import { Button, PasswordInput, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../_components/data/trpc";
import { FailureAlert } from "../_forms/failure-alert";
import { PasswordStrength } from "./password-strength";
import { leaveToSignIn, type OwnSignIn, renewSession } from "./security";

type SignInSummary = Pick<OwnSignIn, "email" | "hasTotp">;

const EMPTY = { current: "", next: "" };

/**
 * The change ends every session, so this browser signs in again with the typed password. With a second factor it
 * cannot: the code was used up, and the sign-in page has to ask for the next one.
 */
function useChange({ email, hasTotp }: SignInSummary, onDone: () => void) {
  const t = useTranslations("security");
  return useMutation(
    useTRPC().security.changePassword.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: async (_, { next }) => {
        if (hasTotp) {
          await leaveToSignIn("passwordChanged");
        }
        await renewSession({ email, password: next }, { otherwise: "passwordChanged" });
        notifications.show({ color: "green", message: t("passwordChanged"), role: "status" });
        onDone();
      },
    }),
  );
}

type Props = {
  own: SignInSummary;
  /** Called after this browser has signed in again. */
  onChanged?: () => void;
};

/** The form with which users change their password. */
export function PasswordForm({ own, onChanged }: Props) {
  const t = useTranslations("security");
  const [typed, setTyped] = useState(EMPTY);
  const change = useChange(own, () => {
    setTyped(EMPTY);
    onChanged?.();
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    change.mutate(typed);
  };
  return (
    <form method="post" onSubmit={submit}>
      <Stack maw={420}>
        {/* Tells password managers whose password it is. */}
        <input type="hidden" name="username" autoComplete="username" value={own.email} readOnly />
        <PasswordInput
          label={t("current")}
          name="current"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={typed.current}
          onChange={(event) => setTyped({ ...typed, current: event.currentTarget.value })}
        />
        <PasswordInput
          label={t("next")}
          name="next"
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={typed.next}
          onChange={(event) => setTyped({ ...typed, next: event.currentTarget.value })}
        />
        {typed.next !== "" && <PasswordStrength password={typed.next} />}
        <FailureAlert error={change.error} />
        <Button type="submit" loading={change.isPending} style={{ alignSelf: "flex-start" }}>
          {t("changePassword")}
        </Button>
      </Stack>
    </form>
  );
}
