import { randomBytes } from "node:crypto";
import { type NextRequest, NextResponse } from "next/server";

// React's development build evaluates text to rebuild stacks, and Next's tools style themselves; in production
// neither is allowed.
const isDevelopment = process.env.NODE_ENV === "development";

/**
 * Scripts and style elements run by nonce only; Next reads it from the request's header and puts it on each script
 * that it writes. Style attributes are allowed: Mantine sizes and positions with them, and they can load and run
 * nothing.
 */
function policy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${isDevelopment ? " 'unsafe-eval'" : ""}`,
    `style-src 'self' ${isDevelopment ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    // A finished video may be stored at its vendor.
    "media-src 'self' https:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** The address that the browser shows, or will show, without the query that Next adds when it fetches a page's data. */
function addressOf({ nextUrl }: NextRequest): string {
  const query = new URLSearchParams(nextUrl.search);
  query.delete("_rsc");
  return `${nextUrl.pathname}${query.size > 0 ? `?${query}` : ""}`;
}

/** A content security policy with a fresh nonce for every answer of the console. */
export function proxy(request: NextRequest): NextResponse {
  const nonce = randomBytes(16).toString("base64");
  const csp = policy(nonce);
  const headers = new Headers(request.headers);
  headers.set("content-security-policy", csp);
  headers.set("x-nonce", nonce);
  headers.set("x-page-address", addressOf(request));
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", csp);
  return response;
}

export const config = {
  matcher: "/((?!v1/|v1beta/|v1beta1/|v1alpha/|openai/|api/v1/|admin/v1/|_next/static/).*)",
};
