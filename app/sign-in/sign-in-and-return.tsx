"use client";

import { SignInForm } from "./sign-in-form";

/** `to`: an address of this console, from `returnAddress`. */
export function SignInAndReturn({ to }: { to: string }) {
  return (
    <SignInForm
      // Loads a new page, so that nothing of an earlier viewer stays in memory. Browsers do not send the fragment to
      // the server, so it is appended here.
      onSignedIn={() => window.location.assign(to.includes("#") ? to : `${to}${window.location.hash}`)}
    />
  );
}
