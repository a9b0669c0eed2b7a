"use client";

import { signIn } from "next-auth/react";
import { type SubmitEvent, useState } from "react";

const texts: Record<string, string> = {
  CredentialsSignin: "邮箱或密码不正确 · The e-mail or the password is wrong",
  throttled: "尝试次数过多,请 15 分钟后再试 · Too many attempts, try again in 15 minutes",
};
const unavailable = "暂时无法登录,请稍后再试 · Signing in is not possible right now, try again later";

/** null: signed in. */
async function trySignIn(form: FormData): Promise<string | null> {
  try {
    const { email, password } = Object.fromEntries(form);
    const answer = await signIn("credentials", { email, password, redirect: false });
    if (answer?.ok) {
      return null;
    }
    return texts[answer?.error ?? ""] ?? unavailable;
  } catch {
    // The server could not be reached, or what answered was not it.
    return unavailable;
  }
}

export function SignInForm() {
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  const submit = async (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    const refusal = await trySignIn(new FormData(event.currentTarget));
    if (refusal === null) {
      // A whole new page: nothing of an earlier viewer stays in memory.
      window.location.assign("/");
      return;
    }
    setError(refusal);
    setBusy(false);
  };

  // `post`: sent before the script runs, a form must not put the password into the address.
  return (
    <form method="post" onSubmit={(event) => void submit(event)}>
      <label>
        <span>
          邮箱 <span lang="en">E-mail</span>
        </span>
        <input name="email" type="email" autoComplete="username" required />
      </label>
      <label>
        <span>
          密码 <span lang="en">Password</span>
        </span>
        <input name="password" type="password" autoComplete="current-password" required />
      </label>
      {error && (
        <p role="alert" className="error">
          {error}
        </p>
      )}
      <button type="submit" className="primary" disabled={isBusy}>
        {isBusy ? "正在登录… Signing in…" : "登录 Sign in"}
      </button>
    </form>
  );
}
