import { createHmac } from "node:crypto";
import { halvesOf } from "@/server/domain/key-pairs";

/** As in the vendor's own example; each call has a new token. */
const LIVES_SECONDS = 1_800;
/** For a vendor whose clock is slow, which would answer 1003. */
const EARLY_SECONDS = 5;

const encoded = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url");
const signatureOf = (signed: string, secretKey: string) =>
  createHmac("sha256", secretKey).update(signed).digest("base64url");

/** Kling requires `typ`, which some libraries leave out. */
const HEAD = encoded({ alg: "HS256", typ: "JWT" });
const TOKENS = new RegExp(`(${HEAD}\\.[\\w-]{1,1000})\\.([\\w-]{43})`, "g");

/** The JWT (HS256) for a pair `ACCESS:SECRET`, valid for half an hour from `now`. Pure. */
export function klingToken(secret: string, now: Date): string {
  const { accessKey, secretKey } = halvesOf(secret);
  const seconds = Math.floor(now.getTime() / 1_000);
  const claims = { iss: accessKey, exp: seconds + LIVES_SECONDS, nbf: seconds - EARLY_SECONDS };
  const signed = `${HEAD}.${encoded(claims)}`;
  return `${signed}.${signatureOf(signed, secretKey)}`;
}

/** Removes the tokens that this pair has signed, those of earlier calls included: they are valid for half an hour. */
export function withoutKlingTokens(text: string, secret: string): string {
  const { secretKey } = halvesOf(secret);
  return text.replace(TOKENS, (token, signed: string, signature: string) =>
    signature === signatureOf(signed, secretKey) ? "…" : token,
  );
}
