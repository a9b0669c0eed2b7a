/**
 * Whether the secrets of this environment are those that the database was used with. A known text is kept under each;
 * a secret that opens it, be it the previous one, is right.
 */
import { createHmac } from "node:crypto";
import { ConfigError } from "@/server/base/config";
import type { Secrets } from "@/server/base/secrets";
import { type Vault, vaultOf } from "@/server/base/vault";
import { sampleCredentials } from "@/server/channels";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { secretChecks } = tables;

const KNOWN = "tollgate";

type Check = { name: string; make: () => string; isRight: (kept: string) => boolean };

/** Hashes say nothing of their pepper: this one is of no key. */
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

function checksOf(secrets: Secrets): Check[] {
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

/** The names of those that are not what this database was used with. What was never checked yet is not among them. */
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
      `This database was used with another ${wrong.join(" and another ")}. Set the one that it was used with. To replace one, set the new value and give the old one as ${wrong.map((name) => `${name}_PREVIOUS`).join(" and ")} (docs/operations.md). If it is lost: \`npm run -s tollgate -- secrets accept\`.`,
    );
  }
}

/** As many stored credentials as tell whether the key is right. */
const SAMPLE = 100;

/**
 * At a start: refuses wrong secrets, and keeps a check of those that have none. An installation of before there were
 * any has credentials: one of them must open. Of several first starts at once one check is kept, and all are measured
 * by it.
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
        "No stored channel credential opens with this ENCRYPTION_KEY. Set the one that they were stored with. If it is lost: `npm run -s tollgate -- secrets accept`.",
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

/** From now on the current secrets are the right ones, and the previous ones are not needed for a start. */
export async function renewSecretChecks(db: Db, secrets: Secrets): Promise<void> {
  for (const { name, make } of checksOf(secrets)) {
    const sealed = make();
    await ormOf(db)
      .insert(secretChecks)
      .values({ name, sealed })
      .onConflictDoUpdate({ target: secretChecks.name, set: { sealed } });
  }
}
