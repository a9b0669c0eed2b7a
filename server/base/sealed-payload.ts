import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/**
 * Whose a payload is. `id`: what only its account's clients know, and no row has; `purpose`: what kinds of payload are
 * told apart by.
 */
export type PayloadOwner = { purpose: string; id: string; accountId: string };

/** Nobody reads a payload without both: the installation's secret, and the identifier. */
const keyOf = (secret: string, { purpose, id }: PayloadOwner): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, id, purpose, 32));

/** Bytes for a row, compressed and encrypted. */
export async function sealPayload(plain: Buffer, owner: PayloadOwner, secret: string): Promise<Buffer> {
  const text = await compress(plain);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(secret, owner), iv);
  cipher.setAAD(Buffer.from(owner.accountId));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** null: it was sealed with none of these secrets, under another identifier or for another account, or altered. */
export async function openPayload(
  payload: Buffer,
  owner: PayloadOwner,
  secrets: string[],
): Promise<Buffer | null> {
  // Node takes a shorter tag for one, and throws at what is shorter still.
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
      // The next secret may have been the one.
    }
  }
  return null;
}
