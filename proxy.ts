import { randomBytes } from "node:crypto";
import { type NextRequest, NextResponse } from "next/server";

/** Scripts run by nonce only; Next reads it from the request's header and puts it on each script that it writes. */
function policy(nonce: string): string {
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'`,
    "style-src 'self'",
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** A content security policy with a fresh nonce for every answer of the console. */
export function proxy(request: NextRequest): NextResponse {
  const csp = policy(randomBytes(16).toString("base64"));
  const headers = new Headers(request.headers);
  headers.set("content-security-policy", csp);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set("content-security-policy", csp);
  return response;
}

export const config = { matcher: "/((?!v1/|_next/static/).*)" };
