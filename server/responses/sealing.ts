import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import { zstdCompress, zstdDecompress } from "node:zlib";

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Under what a response's row is found; the identifier has too much chance in it to be guessed from this. */
export const hashOf = (id: string): string => createHash("sha256").update(id).digest("hex");

/** Nobody reads a response without both: the installation's secret, and the identifier, which only clients have. */
const keyOf = (secret: string, id: string): Buffer =>
  Buffer.from(hkdfSync("sha256", secret, id, "tollgate stored response", 32));

export async function seal(
  value: unknown,
  { secret, id, accountId }: { secret: string; id: string; accountId: string },
): Promise<Buffer> {
  const text = await compress(Buffer.from(JSON.stringify(value)));
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(secret, id), iv);
  cipher.setAAD(Buffer.from(accountId));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** null: it was sealed with none of these secrets, under another identifier or for another account, or altered. */
export async function open(
  payload: Buffer,
  { secrets, id, accountId }: { secrets: string[]; id: string; accountId: string },
): Promise<unknown> {
  // Node takes a shorter tag for one, and throws at what is shorter still.
  if (payload.length < IV_BYTES + TAG_BYTES) {
    return null;
  }
  for (const secret of secrets) {
    const iv = payload.subarray(0, IV_BYTES);
    const decipher = createDecipheriv(ALGORITHM, keyOf(secret, id), iv, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(accountId));
    decipher.setAuthTag(payload.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    const text = decipher.update(payload.subarray(IV_BYTES + TAG_BYTES));
    try {
      const opened = Buffer.concat([text, decipher.final()]);
      return JSON.parse((await decompress(opened)).toString("utf8"));
    } catch {
      // The next secret may have been the one.
    }
  }
  return null;
}
