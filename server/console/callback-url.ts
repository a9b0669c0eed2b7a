/** Where a sign-in or sign-out leads back to: a page of this console, whatever a cookie, a query or a form asks for. */
import { randomUUID } from "node:crypto";
import { NextRequest } from "next/server";
import type { AuthOptions } from "next-auth";

/** As next-auth calls it, by https and without. */
const COOKIES = ["__Secure-next-auth.callback-url", "next-auth.callback-url"];
const PARAMETER = "callbackUrl";

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

/**
 * A request without a callback address that next-auth cannot read, and the options that have it look for its cookie under
 * a name that nobody has, where the cookie cannot be read.
 */
export function withReadableCallback(
  request: NextRequest,
  options: AuthOptions,
): { request: NextRequest; options: AuthOptions } {
  const asked = request.nextUrl.searchParams.get(PARAMETER);
  const kept = COOKIES.map((name) => request.cookies.get(name)?.value).filter((value) => value !== undefined);
  const url = new URL(request.url);
  url.searchParams.delete(PARAMETER);
  return {
    request: asked === null || isReadable(asked) ? request : new NextRequest(url, request),
    options: kept.every((value) => value === "" || isReadable(value))
      ? options
      : {
          ...options,
          cookies: {
            ...options.cookies,
            callbackUrl: {
              name: `next-auth.callback-url.${randomUUID()}`,
              options: { httpOnly: true, sameSite: "lax", path: "/" },
            },
          },
        },
  };
}
