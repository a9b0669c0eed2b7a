/** Channel credentials: encrypted at rest, shown to users by their last characters. */
import { z } from "zod";
import type { Vault } from "@/server/base/vault";
import type { VendorApi } from "@/server/domain/enums";
import { isPair, takesPairs } from "@/server/domain/key-pairs";
import { parseOrRefuse, Refusal } from "@/server/domain/refusal";
import { Credential, CredentialChange, MAX_CREDENTIALS } from "./schema";

/** Credentials as a row stores them. */
export type Sealed = { credentials: string[]; credentialHints: string[] };

/** Shortest secret whose last four characters are shown: they would reveal too much of a shorter one. */
const HINTED_CHARACTERS = 12;

const hintOf = (secret: string) => (secret.length >= HINTED_CHARACTERS ? secret.slice(-4) : "");

function refuseHalves(secrets: readonly string[], dialect: VendorApi): void {
  if (takesPairs(dialect) && !secrets.every(isPair)) {
    throw new Refusal(`a credential of a ${dialect} channel is a pair: ACCESS:SECRET`, "credentialPair");
  }
}

/** Checks the credentials of a new channel. Throws Refusal. */
export function checkCredentials(secrets: readonly string[], dialect: VendorApi): string[] {
  const checked = parseOrRefuse(z.array(Credential).min(1).max(MAX_CREDENTIALS), secrets);
  refuseHalves(checked, dialect);
  return checked;
}

/** Context for writing a row's credentials. */
type Writing = { dialect: VendorApi; vault: Vault };

/** Throws Refusal. */
export function sealCredentials(secrets: readonly string[], { dialect, vault }: Writing): Sealed {
  const checked = checkCredentials(secrets, dialect);
  return { credentials: checked.map(vault.seal), credentialHints: checked.map(hintOf) };
}

/** Applies the changes to a row's credentials, in the order of the changes. Throws Refusal. */
export function changeCredentials(
  stored: Sealed,
  changes: readonly CredentialChange[],
  { dialect, vault }: Writing,
): Sealed {
  const checked = parseOrRefuse(z.array(CredentialChange).min(1).max(MAX_CREDENTIALS), changes);
  const entered = checked.flatMap((change) => ("secret" in change ? change.secret : []));
  refuseHalves(entered, dialect);
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
