import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Secrets } from "./secrets";

const ALGORITHM = "aes-256-gcm";

/**
 * Encrypts secrets that must be read again, such as channel credentials and TOTP secrets: `v1.<iv>.<tag>.<ciphertext>`,
 * each base64url.
 */
export type Vault = {
  seal: (secret: string) => string;
  /** Opens a text that was sealed with this key or the previous one. Throws. */
  open: (sealed: string) => string;
  /** Seals the same secret with this key, or returns it unchanged if it already is. Throws. */
  reseal: (sealed: string) => string;
};

// Any long text can be the key; its hash has the length that the cipher needs.
const keyOf = (text: string) => createHash("sha256").update(text).digest();

function sealWith(key: Buffer, secret: string): string {
  const iv = randomBytes(12);
  const cipher = createCipheriv(ALGORITHM, key, iv);
  const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
  return ["v1", ...[iv, cipher.getAuthTag(), text].map((part) => part.toString("base64url"))].join(".");
}

/** null: sealed with another key, or altered. Throws if the form is unknown. */
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
    // `final` throws if the tag does not match.
    return null;
  }
}

/** `previousKey`: the key that `encryptionKey` replaces. */
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

/** The number of values that were sealed again, and of values that neither key opens. */
export type Resealed = { resealed: number; unreadable: number };

/** Seals each value again that has the previous key. Values that cannot be opened stay unchanged and are counted. */
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
 * Seals the values of rows again, page by page. `renew` locks and commits each row separately, so that other work may
 * continue. After an interruption, the next run continues, and finds nothing to do in finished rows.
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

/** Rows of a page for sealing. */
export const RESEAL_BATCH = 100;

/** The vault of this environment's secrets. */
export const vaultOf = ({ encryptionKey, previous }: Pick<Secrets, "encryptionKey" | "previous">): Vault =>
  createVault(encryptionKey, previous.encryptionKey);
