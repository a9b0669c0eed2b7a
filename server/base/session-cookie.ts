import { decode, type JWT, type JWTDecodeParams } from "next-auth/jwt";
import type { Secrets } from "./secrets";

/**
 * Opens a cookie of next-auth. One that was signed with the secret before this one is still good. Throws as `decode`
 * does.
 */
export async function openCookie({ previous }: Secrets, cookie: JWTDecodeParams): Promise<JWT | null> {
  const { authSecret } = previous;
  return authSecret === undefined
    ? await decode(cookie)
    : await decode(cookie).catch(() => decode({ ...cookie, secret: authSecret }));
}

/** What next-auth calls it, by https and without. */
const NAMES = ["__Secure-next-auth.session-token", "next-auth.session-token"];

/** The session that a `cookie` header names, which may be over; null: none that we have signed. */
export async function readSessionId(secrets: Secrets, cookies: string): Promise<string | null> {
  const pairs = cookies.split(";").map((pair) => pair.trim().split("="));
  for (const [, token = ""] of pairs.filter(([name = ""]) => NAMES.includes(name)).slice(0, 2)) {
    // What somebody else made is no session; the next one may be.
    const opened = await openCookie(secrets, { token, secret: secrets.authSecret }).catch(() => null);
    if (opened?.sub !== undefined) {
      return opened.sub;
    }
  }
  return null;
}
