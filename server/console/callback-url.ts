/**
 * The address after a sign-in or sign-out: always a page of this console, whatever a cookie, a query or a form asks
 * for.
 */
import { randomUUID } from "node:crypto";
import { NextRequest } from "next/server";
import type { AuthOptions } from "next-auth";

/** next-auth's names, with https and without. */
const COOKIES = ["__Secure-next-auth.callback-url", "next-auth.callback-url"];
const PARAMETER = "callbackUrl";
/** The prefix of a name that is used for one request, whose own cookie cannot be read. */
const PASSING = "next-auth.callback-url.";
const COOKIE = { httpOnly: true, sameSite: "lax", path: "/" };

/**
 * Returns an address of this console, absolute; for any other address, its front page. next-auth's own rule throws at
 * an invalid address.
 */
export function redirectWithin({ url, baseUrl }: { url: string; baseUrl: string }): string {
  const base = url.startsWith("/") ? baseUrl : undefined;
  const address = URL.canParse(url, base) ? new URL(url, base) : null;
  return address?.origin === new URL(baseUrl).origin ? address.href : baseUrl;
}

/** Whether next-auth can read the address: with an unreadable one it answers 500 to every request. */
function isReadable(url: string): boolean {
  const base = url.startsWith("/") ? "http://console.invalid" : undefined;
  return URL.canParse(url, base) && /^https?:$/.test(new URL(url, base).protocol);
}

/** Returns the answer with headers that delete these cookies, and without the cookies of a single request. */
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
 * Removes a callback address that next-auth cannot read from the request. If a cookie cannot be read, the options make
 * next-auth look under an unused name, and `mend` makes the browser delete the cookie.
 */
export function withReadableCallback(
  request: NextRequest,
  options: AuthOptions,
): { request: NextRequest; options: AuthOptions; mend: (response: Response) => Response } {
  const callbackUrl = request.nextUrl.searchParams.get(PARAMETER);
  const unreadable = COOKIES.filter((name) => !isReadable(request.cookies.get(name)?.value || "/"));
  const passing = `${PASSING}${randomUUID()}`;
  const url = new URL(request.url);
  url.searchParams.delete(PARAMETER);
  return {
    request: callbackUrl === null || isReadable(callbackUrl) ? request : new NextRequest(url, request),
    options:
      unreadable.length === 0
        ? options
        : { ...options, cookies: { ...options.cookies, callbackUrl: { name: passing, options: COOKIE } } },
    mend: (response) => (unreadable.length === 0 ? response : withoutCookies(response, unreadable)),
  };
}
