/** Why a sign-in at the provider came to nothing: texts of `signIn.providerErrors` (server/console/oidc.ts). */
const known = [
  "emailUnverified",
  "emailForeign",
  "identityUnknown",
  "identityNotLinked",
  "identityElsewhere",
] as const;

/** Those that a sign-in by password has, too: texts of `signIn`. */
const shared = ["disabled", "throttled", "unavailable"] as const;

/** The text's key in `signIn`; null: nothing was refused. What next-auth calls its own errors is one text. */
export function providerError(code: unknown) {
  if (typeof code !== "string") {
    return null;
  }
  const own = known.find((one) => one === code);
  return shared.find((one) => one === code) ?? (`providerErrors.${own ?? "failed"}` as const);
}

export type ProviderError = NonNullable<ReturnType<typeof providerError>>;
