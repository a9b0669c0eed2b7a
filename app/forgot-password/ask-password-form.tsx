"use client";

import { Alert, Button, Stack, Text, TextInput } from "@mantine/core";
import { IconMail } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { useTranslations } from "use-intl";
import { useTRPC } from "../(console)/_components/data/trpc";
import { FailureAlert } from "../(console)/_forms/failure-alert";

/** The answer is the same for every address: it does not show who has a user here. */
export function AskPasswordForm() {
  const t = useTranslations("forgotPassword");
  const { mutate, error, isPending, isSuccess, variables } = useMutation(
    useTRPC().links.askPassword.mutationOptions({ meta: { showsFailure: true } }),
  );
  if (isSuccess) {
    return (
      <Alert role="status" icon={<IconMail aria-hidden />} title={t("sentTitle")}>
        <Text size="sm" className="wrap-anywhere">
          {t("sentText", { email: variables.email })}
        </Text>
      </Alert>
    );
  }
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    mutate({ email: String(new FormData(event.currentTarget).get("email")).trim() });
  };
  // The field has no value: what is typed before the script runs stays.
  return (
    <form method="post" onSubmit={submit}>
      <Stack>
        <Text size="sm">{t("text")}</Text>
        <TextInput
          label={t("email")}
          name="email"
          type="email"
          autoComplete="username"
          required
          withAsterisk={false}
          maxLength={254}
        />
        <FailureAlert problem={null} error={error} />
        <Button type="submit" loading={isPending} fullWidth>
          {t("submit")}
        </Button>
      </Stack>
    </form>
  );
}
