/**
 * Checks whether this environment's secrets are those that the database was used with. A known text is stored under
 * each; a secret that opens it, current or previous, is right.
 */
import { createHmac } from "node:crypto";
import { COMMAND_LINE } from "@/server/base/command-line";
import { ConfigError } from "@/server/base/config";
import type { Secrets } from "@/server/base/secrets";
import { type Vault, vaultOf } from "@/server/base/vault";
import { sampleCredentials } from "@/server/channels";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { secretChecks } = tables;

const KNOWN = "tollgate";

type SecretCheck = { name: string; make: () => string; isRight: (kept: string) => boolean };

/** A hash that tests the pepper; it belongs to no key. */
const hashUnder = (pepper: string) =>
  createHmac("sha256", pepper).update(`check: ${KNOWN}`).digest("base64url");

function opens(vault: Vault, sealed: string): boolean {
  try {
    vault.open(sealed);
    return true;
  } catch {
    return false;
  }
}

function checksOf(secrets: Secrets): SecretCheck[] {
  const vault = vaultOf(secrets);
  const peppers = [secrets.keyPepper, secrets.previous.keyPepper ?? secrets.keyPepper];
  return [
    { name: "ENCRYPTION_KEY", make: () => vault.seal(KNOWN), isRight: (kept) => opens(vault, kept) },
    {
      name: "KEY_PEPPER",
      make: () => hashUnder(secrets.keyPepper),
      isRight: (kept) => peppers.some((pepper) => hashUnder(pepper) === kept),
    },
  ];
}

/**
 * The names of secrets that differ from those that this database was used with. A secret without a stored check is not
 * included.
 */
export async function findWrongSecrets(db: Db, secrets: Secrets): Promise<string[]> {
  const kept = await ormOf(db)
    .select({ name: secretChecks.name, sealed: secretChecks.sealed })
    .from(secretChecks);
  return checksOf(secrets)
    .filter(({ name, isRight }) => kept.some((row) => row.name === name && !isRight(row.sealed)))
    .map(({ name }) => name);
}

/** Throws ConfigError that names the wrong ones. */
export async function refuseWrongSecrets(db: Db, secrets: Secrets): Promise<void> {
  const wrong = await findWrongSecrets(db, secrets);
  if (wrong.length > 0) {
    throw new ConfigError(
      `This database was used with another ${wrong.join(" and another ")}. Set the one that it was used with. To replace one, set the new value and give the old one as ${wrong.map((name) => `${name}_PREVIOUS`).join(" and ")} (docs/secrets.md). If it is lost: \`${COMMAND_LINE} secrets accept\`.`,
    );
  }
}

/** Enough stored credentials to tell whether the key is right. */
const SAMPLE = 100;

/**
 * At a start: refuses wrong secrets, and stores a check of those that have none. An installation from before these
 * checks may have credentials: one of them must open. Of several concurrent first starts one check is stored, and all
 * are compared with it.
 */
export async function ensureSecretChecks(db: Db, secrets: Secrets): Promise<void> {
  const kept = new Set(
    (await ormOf(db).select({ name: secretChecks.name }).from(secretChecks)).map(({ name }) => name),
  );
  const missing = checksOf(secrets).filter(({ name }) => !kept.has(name));
  if (missing.some(({ name }) => name === "ENCRYPTION_KEY")) {
    const vault = vaultOf(secrets);
    const sample = await sampleCredentials(db, SAMPLE);
    if (sample.length > 0 && !sample.some((sealed) => opens(vault, sealed))) {
      throw new ConfigError(
        `No stored channel credential opens with this ENCRYPTION_KEY. Set the one that they were stored with. If it is lost: \`${COMMAND_LINE} secrets accept\`.`,
      );
    }
  }
  if (missing.length > 0) {
    await ormOf(db)
      .insert(secretChecks)
      .values(missing.map(({ name, make }) => ({ name, sealed: make() })))
      .onConflictDoNothing();
  }
  await refuseWrongSecrets(db, secrets);
}

/** Makes the current secrets the right ones; a start then no longer needs the previous ones. */
export async function renewSecretChecks(db: Db, secrets: Secrets): Promise<void> {
  for (const { name, make } of checksOf(secrets)) {
    const sealed = make();
    await ormOf(db)
      .insert(secretChecks)
      .values({ name, sealed })
      .onConflictDoUpdate({ target: secretChecks.name, set: { sealed } });
  }
}
