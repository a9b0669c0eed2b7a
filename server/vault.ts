import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

const ALGORITHM = "aes-256-gcm";

/** Encrypts what must be read again, such as channel credentials and TOTP secrets, at rest: `v1.<iv>.<tag>.<ciphertext>`, each base64url. */
export type Vault = { seal: (secret: string) => string; open: (sealed: string) => string };

export function createVault(encryptionKey: string): Vault {
  // Any long text is a fit key; its hash has the length that the cipher wants.
  const key = createHash("sha256").update(encryptionKey).digest();
  return {
    seal: (secret) => {
      const iv = randomBytes(12);
      const cipher = createCipheriv(ALGORITHM, key, iv);
      const text = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return ["v1", ...[iv, cipher.getAuthTag(), text].map((part) => part.toString("base64url"))].join(".");
    },
    open: (sealed) => {
      const [version, ...parts] = sealed.split(".");
      const [iv, tag, text] = parts.map((part) => Buffer.from(part, "base64url"));
      if (version !== "v1" || !iv || !tag || !text) {
        throw new Error("a stored secret has an unknown form");
      }
      const decipher = createDecipheriv(ALGORITHM, key, iv);
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(text), decipher.final()]).toString("utf8");
    },
  };
}
