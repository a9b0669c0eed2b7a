"use client";

import { SignInForm } from "./sign-in-form";

/** `to`: an address of ours, as `returnAddress` has it. */
export function SignInAndReturn({ to }: { to: string }) {
  return (
    <SignInForm
      // A whole new page: nothing of an earlier viewer stays in memory. The fragment is not in what the server was
      // asked.
      onSignedIn={() => window.location.assign(to.includes("#") ? to : `${to}${window.location.hash}`)}
    />
  );
}
