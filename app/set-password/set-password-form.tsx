"use client";

import { Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "@/app/(console)/_components/data/trpc";
import { addresses } from "@/app/addresses";
import { FailureAlert } from "../(console)/_forms/failure-alert";
import { MIN_CHARACTERS, PasswordStrength } from "../(console)/security/password-strength";
import { leaveToSignIn, renewSession } from "../(console)/security/security";

function useSetPassword() {
  return useMutation(
    useTRPC().links.setPassword.mutationOptions({
      meta: { showsFailure: true },
      onSuccess: async ({ email, hasTotp }, { password }) => {
        // Only the sign-in page can ask for a code.
        if (hasTotp) {
          await leaveToSignIn("passwordSet");
        }
        await renewSession({ email, password }, { otherwise: "passwordSet" });
        // Loads a new page and replaces the link in the history, because the link cannot be used again.
        window.location.replace(addresses.overview());
      },
    }),
  );
}

export function SetPasswordForm() {
  const t = useTranslations("setPassword");
  const [password, setPassword] = useState("");
  const [isIncomplete, setIncomplete] = useState(false);
  const { mutate, error, isPending, isSuccess } = useSetPassword();
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const token = window.location.hash.slice(1);
    setIncomplete(token === "");
    if (token !== "") {
      mutate({ token, password: String(new FormData(event.currentTarget).get("password")) });
    }
  };
  return (
    <form method="post" onSubmit={submit}>
      <Stack>
        <Text size="sm">{t("text")}</Text>
        <PasswordInput
          label={t("password")}
          description={t("atLeast", { min: MIN_CHARACTERS })}
          name="password"
          autoComplete="new-password"
          required
          withAsterisk={false}
          maxLength={1024}
          // No value: what is typed before the script runs stays.
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {password !== "" && <PasswordStrength password={password} />}
        <FailureAlert problem={isIncomplete ? t("incomplete") : null} error={error} />
        <Button type="submit" loading={isPending || isSuccess} fullWidth>
          {t("submit")}
        </Button>
      </Stack>
    </form>
  );
}
