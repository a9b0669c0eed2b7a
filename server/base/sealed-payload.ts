import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/**
 * The owner of a payload. `id`: an identifier that only the account's clients know and no row contains; `purpose`: the
 * kind of payload.
 */
export type PayloadOwner = { purpose: string; id: string; accountId: string };

/** Reading a payload takes both the installation's secret and the identifier. */
const keyOf = (secret: string, { purpose, id }: PayloadOwner): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, id, purpose, 32));

/** Compresses and encrypts bytes for a row. */
export async function sealPayload(plain: Buffer, owner: PayloadOwner, secret: string): Promise<Buffer> {
  const text = await compress(plain);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(secret, owner), iv);
  cipher.setAAD(Buffer.from(owner.accountId));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/**
 * Decrypts a payload. null: it was sealed with none of these secrets, under another identifier or for another account,
 * or it was altered.
 */
export async function openPayload(
  payload: Buffer,
  owner: PayloadOwner,
  secrets: string[],
): Promise<Buffer | null> {
  // Node would accept a shorter tag, and throws if even that is incomplete.
  if (payload.length < IV_BYTES + TAG_BYTES) {
    return null;
  }
  for (const secret of secrets) {
    const iv = payload.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(ALGORITHM, keyOf(secret, owner), iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(owner.accountId));
    decipher.setAuthTag(payload.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = decipher.update(payload.subarray(IV_BYTES + TAG_BYTES));
    try {
      return await decompress(Buffer.concat([text, decipher.final()]));
    } catch {
      // The next secret may be the right one.
    }
  }
  return null;
}
