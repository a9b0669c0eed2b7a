import { afterAll, expect, test } from "vitest";
import { findSessionUser } from "@/server/access";
import { contextFor, sessionCookie } from "@/tests/support/console";
import { linkTo } from "@/tests/support/database-link";
import { eventually } from "@/tests/support/eventually";
import { serverEnvironment } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { startServer } from "@/tests/support/process";
import { sharedGateway } from "@/tests/support/shared-gateway";

const gateway = perFile(sharedGateway);
const link = perFile(() => linkTo(gateway.databaseUrl));
const server = perFile(() => startServer(serverEnvironment(link.url)));
afterAll(async () => {
  link.mend();
});

/** The browser of a new operator: it sends the cookies that it was given, and answers what a sign-out came to. */
async function browser() {
  const { viewer } = await contextFor(gateway, { role: "operator" });
  const sessionId = viewer?.sessionId ?? "";
  const session = await sessionCookie(gateway, sessionId);
  const csrf = await fetch(`${server.url}/api/auth/csrf`);
  const { csrfToken } = (await csrf.json()) as { csrfToken: string };
  const cookie = [session, ...csrf.headers.getSetCookie().map((one) => one.split(";")[0])].join("; ");
  return {
    isSignedIn: async () => (await findSessionUser(gateway.runtime.db, sessionId)) !== null,
    signOut: async () => {
      const body = new URLSearchParams({ csrfToken, callbackUrl: "/sign-in", json: "true" });
      const init = { method: "POST", headers: { cookie }, body };
      const answer = await fetch(`${server.url}/api/auth/signout`, init);
      const isTaken = answer.headers.getSetCookie().some((one) => /^next-auth\.session-token=;/.test(one));
      return { status: answer.status, isTaken };
    },
  };
}

test.each(["cut", "silence"] as const)(
  "a sign-out that the database does not take (%s) is a 503 and leaves the cookie, and the next one ends the session",
  async (how) => {
    const { isSignedIn, signOut } = await browser();
    link[how]();
    expect(await signOut()).toEqual({ status: 503, isTaken: false });
    expect(await isSignedIn()).toBe(true);
    link.mend();
    await eventually(signOut, 90_000).toEqual({ status: 200, isTaken: true });
    expect(await isSignedIn()).toBe(false);
  },
);
