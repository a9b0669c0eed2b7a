/** The reasons why a sign-in at the provider failed: texts of `signIn.providerErrors` (server/console/oidc.ts). */
const reasons = [
  "emailUnverified",
  "emailForeign",
  "identityUnknown",
  "identityNotLinked",
  "identityElsewhere",
] as const;

/** The reasons that a sign-in by password has too: texts of `signIn`. */
const shared = ["disabled", "throttled", "unavailable"] as const;

/** The text's key in `signIn`; null: no refusal. All of next-auth's own errors share one text. */
export function providerError(code: unknown) {
  if (typeof code !== "string") {
    return null;
  }
  const own = reasons.find((reason) => reason === code);
  return shared.find((reason) => reason === code) ?? (`providerErrors.${own ?? "failed"}` as const);
}

export type ProviderError = NonNullable<ReturnType<typeof providerError>>;
