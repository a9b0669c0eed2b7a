/** The reasons why a user has to sign in again: texts of `signIn.notices`. */
export const notices = [
  "passwordChanged",
  "totpDisabled",
  "signedOutEverywhere",
  "passwordSet",
  "identityUnlinked",
] as const;

export type Notice = (typeof notices)[number];
