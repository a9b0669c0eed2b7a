/** Signed links with which a person leaves all alerts by e-mail, without a session. */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Secrets } from "@/server/base/secrets";

export type SigningSecrets = Pick<Secrets, "authSecret" | "previous">;

const signatureOf = (secret: string, userId: string) =>
  createHmac("sha256", secret).update(`unsubscribe:${userId}`).digest();

const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);

/** Without an end: an old e-mail has to work, and the link can do nothing else. */
const tokenFor = ({ authSecret }: SigningSecrets, userId: string): string =>
  `${userId}.${signatureOf(authSecret, userId).toString("base64url")}`;

/** The page with a button, for people, and the address that mail programs post to (RFC 8058). */
export function unsubscribeUrls(origin: string, secrets: SigningSecrets, userId: string) {
  const query = new URLSearchParams({ token: tokenFor(secrets, userId) });
  return { page: `${origin}/unsubscribe?${query}`, oneClick: `${origin}/api/unsubscribe?${query}` };
}

/** The user that a token names; null: we did not sign it. */
export function readUnsubscribeToken({ authSecret, previous }: SigningSecrets, token: string): string | null {
  const [userId = "", signature = ""] = token.split(".");
  const offered = Buffer.from(signature, "base64url");
  const secrets = [authSecret, ...(previous.authSecret === undefined ? [] : [previous.authSecret])];
  return secrets.some((secret) => isSame(offered, signatureOf(secret, userId))) ? userId : null;
}
