/** Credentials: sealed at rest, and told apart by their ends. */
import { z } from "zod";
import { parseOrRefuse, Refusal } from "@/server/base/refusal";
import type { Vault } from "@/server/base/vault";
import { Credential, CredentialChange, MAX_CREDENTIALS } from "./schema";

/** As a row stores them. */
export type Sealed = { credentials: string[]; credentialHints: string[] };

/** Four characters are too much of a secret that has hardly more. */
const HINTED_CHARACTERS = 12;

const hintOf = (secret: string) => (secret.length >= HINTED_CHARACTERS ? secret.slice(-4) : "");

/** Those of a new channel. Throws Refusal. */
export const checkCredentials = (secrets: readonly string[]): string[] =>
  parseOrRefuse(z.array(Credential).min(1).max(MAX_CREDENTIALS), secrets);

/** Throws Refusal. */
export function sealCredentials(secrets: readonly string[], vault: Vault): Sealed {
  const checked = checkCredentials(secrets);
  return { credentials: checked.map(vault.seal), credentialHints: checked.map(hintOf) };
}

/** What becomes of a row's credentials, in the order of the changes. Throws Refusal. */
export function changeCredentials(
  stored: Sealed,
  changes: readonly CredentialChange[],
  vault: Vault,
): Sealed {
  const checked = parseOrRefuse(z.array(CredentialChange).min(1).max(MAX_CREDENTIALS), changes);
  const pairs = checked.map((change) => {
    if ("secret" in change) {
      return { credential: vault.seal(change.secret), hint: hintOf(change.secret) };
    }
    const credential = stored.credentials[change.keep];
    if (credential === undefined) {
      throw new Refusal(`there is no credential ${change.keep} to keep`, "channelChanged");
    }
    return { credential, hint: stored.credentialHints[change.keep] ?? "" };
  });
  return {
    credentials: pairs.map(({ credential }) => credential),
    credentialHints: pairs.map(({ hint }) => hint),
  };
}
