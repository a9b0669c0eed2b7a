import { decode, type JWT, type JWTDecodeParams } from "next-auth/jwt";
import type { Secrets } from "@/server/base/secrets";

/** Opens a next-auth cookie. It accepts a cookie that was signed with the previous secret. Throws as `decode` does. */
export async function openCookie({ previous }: Secrets, cookie: JWTDecodeParams): Promise<JWT | null> {
  const { authSecret } = previous;
  return authSecret === undefined
    ? await decode(cookie)
    : await decode(cookie).catch(() => decode({ ...cookie, secret: authSecret }));
}

/** next-auth's cookie names, with https and without. */
const NAMES = ["__Secure-next-auth.session-token", "next-auth.session-token"];

/** The session id in a `cookie` header; the session may have ended. null: no cookie of ours. */
export async function readSessionId(secrets: Secrets, cookies: string): Promise<string | null> {
  const pairs = cookies.split(";").map((pair) => pair.trim().split("="));
  for (const [, token = ""] of pairs.filter(([name = ""]) => NAMES.includes(name)).slice(0, 2)) {
    // A cookie that others made is no session; the next one may be ours.
    const opened = await openCookie(secrets, { token, secret: secrets.authSecret }).catch(() => null);
    if (opened?.sub !== undefined) {
      return opened.sub;
    }
  }
  return null;
}
