import { Alert, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { signIn } from "next-auth/react";
import { type SubmitEvent, useRef, useState } from "react";
import { useTranslations } from "use-intl";

/** The answers of `authorize` (server/console/auth.ts). */
const outcomes = {
  CredentialsSignin: "wrong",
  code_wrong: "wrongCode",
  disabled: "disabled",
  throttled: "throttled",
} as const;

type SignInOutcome = "signedIn" | "codeNeeded" | "unavailable" | (typeof outcomes)[keyof typeof outcomes];

async function trySignIn(form: FormData): Promise<SignInOutcome> {
  try {
    const { email, password, code = "" } = Object.fromEntries(form);
    const answer = await signIn("credentials", { email, password, code, redirect: false });
    if (answer?.ok) {
      return "signedIn";
    }
    return answer?.error === "code_required"
      ? "codeNeeded"
      : (outcomes[answer?.error as keyof typeof outcomes] ?? "unavailable");
  } catch {
    // The server could not be reached, or another server answered.
    return "unavailable";
  }
}

type Props = {
  /** The user who may sign in; absent: any user. */
  email?: string;
  onSignedIn: () => void;
};

/** Escape would close the dialog below this form's dialog unless the focused element has this attribute. */
const stopsEscape = { "data-mantine-stop-propagation": "true" };

export function SignInForm({ email, onSignedIn }: Props) {
  const t = useTranslations("signIn");
  const [refusal, setRefusal] = useState<Exclude<SignInOutcome, "signedIn" | "codeNeeded"> | null>(null);
  const [asksCode, setAsksCode] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const code = useRef<HTMLInputElement>(null);

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    setRefusal(null);
    const outcome = await trySignIn(new FormData(event.currentTarget));
    if (outcome === "signedIn") {
      onSignedIn();
      return;
    }
    setBusy(false);
    if (outcome === "wrongCode") {
      // A code is accepted only once, so the next one replaces it.
      code.current?.select();
    }
    if (outcome === "codeNeeded") {
      setAsksCode(true);
    } else {
      setRefusal(outcome);
    }
  };

  // `post`: a form that is sent before the script runs must not put the password into the address.
  return (
    <form method="post" onSubmit={(event) => void submit(event)}>
      <Stack>
        <TextInput
          label={t("email")}
          name="email"
          type="email"
          autoComplete="username"
          {...(email !== undefined && { value: email, readOnly: true })}
          {...stopsEscape}
          required
          withAsterisk={false}
          // Another user may have no second factor.
          onChange={() => setAsksCode(false)}
        />
        <PasswordInput
          label={t("password")}
          name="password"
          autoComplete="current-password"
          required
          data-autofocus={email !== undefined || undefined}
          {...stopsEscape}
          withAsterisk={false}
        />
        {asksCode && (
          <TextInput
            ref={code}
            label={t("code")}
            description={t("codeHint")}
            name="code"
            autoComplete="one-time-code"
            required
            {...stopsEscape}
            withAsterisk={false}
            autoFocus
          />
        )}
        {refusal && (
          <Alert color="red" role="alert">
            {t(refusal)}
          </Alert>
        )}
        <Button type="submit" loading={isBusy} fullWidth {...stopsEscape}>
          {isBusy ? t("submitting") : t("submit")}
        </Button>
      </Stack>
    </form>
  );
}
