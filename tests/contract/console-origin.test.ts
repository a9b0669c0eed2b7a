import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { contextFor, sessionCookie } from "@/tests/support/console";
import { serverEnvironment } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { firstLineOf } from "@/tests/support/raw-request";
import { sharedGateway } from "@/tests/support/shared-gateway";

const gateway = perFile(sharedGateway);

/** Which proxies are believed: server/process/forwarded-headers.test.ts. */
const server = perFile(() =>
  startServer({ ...serverEnvironment(gateway.databaseUrl), TRUSTED_PROXIES: "127.0.0.0/8, ::1" }),
);

const FORGED = { "x-forwarded-host": "elsewhere.example", "x-forwarded-proto": "https" };

/**
 * The origins of two links that the server sends to a browser with these headers: an invitation, and next-auth's own
 * addresses.
 */
async function originsOf(forwarded: Record<string, string>) {
  const { viewer } = await contextFor(gateway, { role: "operator" });
  const cookie = await sessionCookie(gateway, viewer?.sessionId ?? "");
  const sign = forwarded["x-forwarded-proto"]?.startsWith("https") ? `__Secure-${cookie}` : cookie;
  const headers = { ...forwarded, cookie: `${cookie}; ${sign}` };
  const added = await fetch(`${server.url}/api/trpc/users.add`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ accountId: null, email: `${randomUUID()}@example.com` }),
  });
  const { result } = (await added.json()) as { result: { data: { url: string } } };
  const providers = await fetch(`${server.url}/api/auth/providers`, { headers });
  const { credentials } = (await providers.json()) as { credentials: { callbackUrl: string } };
  return [result.data.url, credentials.callbackUrl].map((url) => new URL(url).origin);
}

test("links lead to the host that a trusted proxy names, or else to the requested host", async () => {
  const own = new URL(server.url).origin;
  expect(await originsOf({})).toEqual([own, own]);
  const expected = "https://elsewhere.example";
  expect(await originsOf(FORGED)).toEqual([expected, expected]);
});

test("an invalid host or scheme is ignored, without an error", async () => {
  const own = new URL(server.url).origin;
  const odd = { "x-forwarded-host": "a b", "x-forwarded-proto": "javascript" };
  expect(await originsOf(odd)).toEqual([own, own]);
});

test.each(["http://[", "javascript:1", "nonsense\r\n at line 2"])(
  "an invalid callback address (%j) breaks no page, is not followed and is not in the log",
  async (foreign) => {
    const before = server.output();
    const { viewer } = await contextFor(gateway, { role: "operator" });
    const session = await sessionCookie(gateway, viewer?.sessionId ?? "");
    const written = encodeURIComponent(foreign);
    const headers = { cookie: `${session}; next-auth.callback-url=${written}` };
    const statuses = ["/", "/sign-in", "/api/auth/session", `/api/auth/csrf?callbackUrl=${written}`].map(
      async (path) => (await fetch(`${server.url}${path}`, { headers, redirect: "manual" })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 307, 200, 200]);
    const csrf = await fetch(`${server.url}/api/auth/csrf`);
    const { csrfToken } = (await csrf.json()) as { csrfToken: string };
    const cookie = [session, ...csrf.headers.getSetCookie().map((header) => header.split(";")[0])].join("; ");
    const body = new URLSearchParams({ csrfToken, callbackUrl: foreign, json: "true" });
    const out = await fetch(`${server.url}/api/auth/signout`, {
      method: "POST",
      headers: { cookie },
      body,
    });
    expect(await out.json()).toEqual({ url: new URL(server.url).origin });
    expect(server.output().slice(before.length)).not.toContain(foreign.slice(0, 8));
  },
);

test("a procedure is refused to other sites, if the browser names the site", async () => {
  const statusFrom = async (site: string) => {
    const headers = { "sec-fetch-site": site };
    return (await fetch(`${server.url}/api/trpc/session.viewer`, { headers })).status;
  };
  expect([await statusFrom("cross-site"), await statusFrom("same-site")]).toEqual([403, 403]);
  expect(await statusFrom("same-origin")).not.toBe(403);
});

test("an invalid Host is a 400, and not in the log", async () => {
  const before = server.output();
  const firstLine = (host: string) =>
    firstLineOf(server.url, `GET /sign-in HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
  for (const host of ["a b", "a:99999", "a/b", "<script>"]) {
    expect([host, await firstLine(host)]).toEqual([host, "HTTP/1.1 400 Bad Request"]);
  }
  // Other lines of a server on a slow machine (such as a warning about time) do not matter here.
  expect(server.output().slice(before.length)).not.toMatch(
    /Error|"level":(?:[5-9]0|"(?:error|fatal)")|invalid/i,
  );
});
