import { decode, getToken, type JWT, type JWTDecodeParams } from "next-auth/jwt";
import type { Secrets } from "./secrets";

/** Opens a cookie of next-auth. One that was signed with the secret before this one is still good. Throws as `decode` does. */
export async function openCookie({ previous }: Secrets, cookie: JWTDecodeParams): Promise<JWT | null> {
  const { authSecret } = previous;
  return authSecret === undefined
    ? await decode(cookie)
    : await decode(cookie).catch(() => decode({ ...cookie, secret: authSecret }));
}

/** The session that a `cookie` header names, which may be over; null: none that we have signed. */
export async function readSessionId(secrets: Secrets, cookies: string): Promise<string | null> {
  // Not before `next` itself, which sets up what it stands on: a bundle that begins with this one does not start.
  const { NextRequest } = await import("next/server.js");
  const req = new NextRequest("http://localhost", { headers: { cookie: cookies } });
  const open = (cookie: JWTDecodeParams) => openCookie(secrets, cookie);
  const { authSecret: secret } = secrets;
  const token =
    (await getToken({ req, secret, decode: open, secureCookie: true })) ??
    (await getToken({ req, secret, decode: open, secureCookie: false }));
  return token?.sub ?? null;
}
