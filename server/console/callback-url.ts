/** Where a sign-in or sign-out leads back to: a page of this console, whatever a cookie, a query or a form asks for. */
import { randomUUID } from "node:crypto";
import { NextRequest } from "next/server";
import type { AuthOptions } from "next-auth";

/** As next-auth calls it, by https and without. */
const COOKIES = ["__Secure-next-auth.callback-url", "next-auth.callback-url"];
const PARAMETER = "callbackUrl";
/** Of a request whose own cookie cannot be read. */
const PASSING = "next-auth.callback-url.";
const COOKIE = { httpOnly: true, sameSite: "lax", path: "/" };

/** An address of this console as a whole; its front page for everything else. next-auth's own rule throws at what is none. */
export function redirectWithin({ url, baseUrl }: { url: string; baseUrl: string }): string {
  const base = url.startsWith("/") ? baseUrl : undefined;
  const address = URL.canParse(url, base) ? new URL(url, base) : null;
  return address?.origin === new URL(baseUrl).origin ? address.href : baseUrl;
}

/** As next-auth reads it: it answers 500 to every request with another one. */
function isReadable(url: string): boolean {
  const base = url.startsWith("/") ? "http://console.invalid" : undefined;
  return URL.canParse(url, base) && /^https?:$/.test(new URL(url, base).protocol);
}

/** The answer, by which the browser forgets these cookies, and is given none that is for one request alone. */
function withoutCookies(response: Response, names: string[]): Response {
  const headers = new Headers(response.headers);
  headers.delete("set-cookie");
  const kept = response.headers.getSetCookie().filter((cookie) => !cookie.startsWith(PASSING));
  const gone = names.map(
    (name) =>
      `${name}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${name.startsWith("__Secure-") ? "; Secure" : ""}`,
  );
  for (const cookie of [...kept, ...gone]) {
    headers.append("set-cookie", cookie);
  }
  return new Response(response.body, { status: response.status, headers });
}

/**
 * A request without a callback address that next-auth cannot read, and where a cookie cannot be read, options that have it
 * look under a name that nobody has, and an answer that takes the cookie away.
 */
export function withReadableCallback(
  request: NextRequest,
  options: AuthOptions,
): { request: NextRequest; options: AuthOptions; mend: (response: Response) => Response } {
  const asked = request.nextUrl.searchParams.get(PARAMETER);
  const unreadable = COOKIES.filter((name) => !isReadable(request.cookies.get(name)?.value || "/"));
  const passing = `${PASSING}${randomUUID()}`;
  const url = new URL(request.url);
  url.searchParams.delete(PARAMETER);
  return {
    request: asked === null || isReadable(asked) ? request : new NextRequest(url, request),
    options:
      unreadable.length === 0
        ? options
        : { ...options, cookies: { ...options.cookies, callbackUrl: { name: passing, options: COOKIE } } },
    mend: (response) => (unreadable.length === 0 ? response : withoutCookies(response, unreadable)),
  };
}
