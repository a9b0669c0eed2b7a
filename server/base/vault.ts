import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Secrets } from "./secrets";

const ALGORITHM = "aes-256-gcm";

/**
 * Encrypts what must be read again, such as channel credentials and TOTP secrets, at rest:
 * `v1.<iv>.<tag>.<ciphertext>`, each base64url.
 */
export type Vault = {
  seal: (secret: string) => string;
  /** What was sealed with this key or the previous one. Throws. */
  open: (sealed: string) => string;
  /** The same under this key: as it is where it was sealed with it already. Throws. */
  reseal: (sealed: string) => string;
};

// Any long text is a fit key; its hash has the length that the cipher wants.
const keyOf = (text: string) => createHash("sha256").update(text).digest();

function sealWith(key: Buffer, secret: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return ["v1", ...[iv, cipher.getAuthTag(), text].map((part) => part.toString("base64url"))].join(".");
}

/** null: sealed with another key, or altered. Throws on a form that is not ours. */
function openWith(key: Buffer, sealed: string): string | null {
  const [version, ...parts] = sealed.split(".");
  const [iv, tag, text] = parts.map((part) => Buffer.from(part, "base64url"));
  if (version !== "v1" || !iv || !tag || !text) {
    throw new Error("a stored secret has an unknown form");
  }
  const decipher = createDecipheriv(ALGORITHM, key, iv);
  decipher.setAuthTag(tag);
  const opened = decipher.update(text);
  try {
    return Buffer.concat([opened, decipher.final()]).toString("utf8");
  } catch {
    // What `final` throws is that the tag does not fit.
    return null;
  }
}

/** `previousKey`: the one that `encryptionKey` is taking the place of. */
export function createVault(encryptionKey: string, previousKey?: string): Vault {
  const key = keyOf(encryptionKey);
  const previous = previousKey === undefined ? null : keyOf(previousKey);
  const open = (sealed: string) => {
    const opened = openWith(key, sealed) ?? (previous && openWith(previous, sealed));
    if (opened === null) {
      throw new Error("a stored secret was sealed with another ENCRYPTION_KEY");
    }
    return opened;
  };
  return {
    seal: (secret) => sealWith(key, secret),
    open,
    reseal: (sealed) => (openWith(key, sealed) === null ? sealWith(key, open(sealed)) : sealed),
  };
}

/** How many sealed values were sealed anew, and how many neither key opens. */
export type Resealed = { resealed: number; unreadable: number };

/** Seals each value anew that needs it; what cannot be opened stays as it is, and is counted. */
export function resealValues(values: readonly string[], vault: Vault): Resealed & { values: string[] } {
  const done = { resealed: 0, unreadable: 0 };
  const renewed = values.map((value) => {
    try {
      const fresh = vault.reseal(value);
      done.resealed += fresh === value ? 0 : 1;
      return fresh;
    } catch {
      done.unreadable++;
      return value;
    }
  });
  return { ...done, values: renewed };
}

/**
 * Seals anew what rows hold, page after page. `renew` commits each row for itself, locked, so that this may run beside
 * everything else; what breaks off is taken up by the next run, which finds nothing to do in rows that are done.
 */
export async function resealRows<Id extends string>(
  idsAfter: (id: string) => Promise<{ id: Id }[]>,
  renew: (id: Id) => Promise<Resealed>,
): Promise<Resealed> {
  const sum = { resealed: 0, unreadable: 0 };
  for (let page = await idsAfter(""); page.length > 0; page = await idsAfter(page.at(-1)?.id ?? "")) {
    for (const { id } of page) {
      const { resealed, unreadable } = await renew(id);
      sum.resealed += resealed;
      sum.unreadable += unreadable;
    }
  }
  return sum;
}

/** Rows of a page to be sealed anew. */
export const RESEAL_BATCH = 100;

/** The vault of this environment's secrets. */
export const vaultOf = ({ encryptionKey, previous }: Pick<Secrets, "encryptionKey" | "previous">): Vault =>
  createVault(encryptionKey, previous.encryptionKey);
