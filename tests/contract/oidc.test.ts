import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createUser, getUser, setUserStatus } from "@/server/access";
import { listChanges } from "@/server/audit";
import { freePort } from "@/tests/support/free-port";
import { serverEnvironment } from "@/tests/support/gateway";
import { type OidcServer, startOidcServer } from "@/tests/support/oidc-server";
import { perFile } from "@/tests/support/per-file";
import { type ServerProcess, startServer } from "@/tests/support/process";
import { sharedGateway } from "@/tests/support/shared-gateway";

const gateway = perFile(sharedGateway);
let provider: OidcServer;
let server: ServerProcess;

beforeAll(async () => {
  const port = await freePort();
  provider = await startOidcServer(`http://127.0.0.1:${port}/api/auth/callback/oidc`);
  const own = { OIDC_EMAIL_DOMAINS: "example.com", PORT: String(port) };
  server = await startServer({ ...serverEnvironment(gateway.databaseUrl), ...provider.env, ...own });
});
afterAll(async () => {
  await server.stop();
  await provider.close();
});

/** The parts of a browser that a sign-in needs. */
function browser() {
  const jar = new Map<string, string>();
  const ask = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, { ...init, redirect: "manual", headers: { ...init.headers, cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return response;
  };
  const post = (url: string, form: Record<string, string>) =>
    ask(url, { method: "POST", body: new URLSearchParams(form) });
  return {
    ask,
    jar,
    /** Starts a sign-in and returns the provider's address. */
    leave: async (): Promise<string> => {
      const csrf = (await (await ask(`${server.url}/api/auth/csrf`)).json()) as { csrfToken: string };
      const left = await post(`${server.url}/api/auth/signin/oidc`, { ...csrf, json: "true" });
      return ((await left.json()) as { url: string }).url;
    },
    /** Signs in at the provider as `name` and returns the callback's address. */
    comeBack: async (from: string, name: string): Promise<string> => {
      let url = from;
      for (let step = 0; step < 12; step++) {
        const page = await ask(url);
        const to = page.headers.get("location");
        const text = to === null ? await page.text() : "";
        const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
        const next =
          to ??
          (await post(url, { prompt: prompt ?? "", login: name, password: "any" })).headers.get("location");
        if (next === null) {
          throw new Error(`${url} leads nowhere: ${text.slice(0, 500)}`);
        }
        url = new URL(next, url).href;
        if (url.startsWith(server.url)) {
          return url;
        }
      }
      throw new Error("the provider does not lead back");
    },
  };
}

type Browser = ReturnType<typeof browser>;

/** The error that the sign-in page shows; null for another page. */
function refusalOf(path: string): string | null {
  const { pathname, searchParams } = new URL(path, server.url);
  return pathname === "/sign-in" ? searchParams.get("error") : null;
}

/** The final address after a callback: the console, or the sign-in page with its error. */
async function finalAddress(by: Browser, callback: string): Promise<string> {
  let url = callback;
  for (let step = 0; step < 3; step++) {
    const to = (await by.ask(url)).headers.get("location");
    if (to === null) {
      break;
    }
    url = new URL(to, url).href;
    if (!url.includes("/api/auth/")) {
      break;
    }
  }
  return url.slice(server.url.length);
}

async function signInAs(name: string, by = browser()): Promise<string> {
  return await finalAddress(by, await by.comeBack(await by.leave(), name));
}

async function newInvitedPerson(more: { password?: string; email_verified?: boolean; domain?: string } = {}) {
  const name = randomUUID();
  const { password = null, email_verified = true, domain = "example.com" } = more;
  const email = `${name}@${domain}`;
  provider.people.set(name, { email, email_verified });
  const { id } = await createUser(gateway.runtime.db, { accountId: null, email, password });
  return { id, name, email };
}

test("an invited person signs in through the provider, and the link is in the audit log", async () => {
  const { id, name, email } = await newInvitedPerson();
  const by = browser();
  const callback = await by.comeBack(await by.leave(), name);
  expect(await finalAddress(by, callback)).toBe("/");
  const session = (await (await by.ask(`${server.url}/api/trpc/security.get`)).json()) as {
    result?: unknown;
  };
  expect(session.result).toMatchObject({ data: { email, linkedTo: provider.issuer, provider: "Example" } });
  const { rows } = await listChanges(gateway.runtime.db, {}, { limit: 20 });
  expect(rows.find(({ action }) => action === "user.link_identity")).toMatchObject({ actor: email });
  // A second use of the callback, with the same cookies or with none, opens nothing.
  expect(refusalOf(await finalAddress(by, callback))).toBe("OAuthCallback");
  expect(refusalOf(await finalAddress(browser(), callback))).toBe("OAuthCallback");
  expect((await getUser(gateway.runtime.db, { userId: id })).linkedTo).toBe(provider.issuer);
  // The last operator who can sign in cannot be disabled, so there must be another one.
  await newInvitedPerson({ password: "a password that is long" });
  await setUserStatus(gateway.runtime.db, { userId: id, status: "disabled", by: null });
  expect(await signInAs(name)).toBe("/sign-in?error=disabled");
});

test.each([
  ["whose e-mail it has not verified", { email_verified: false }, "emailUnverified"],
  ["with an e-mail of another domain", { domain: "elsewhere.example" }, "emailForeign"],
  ["with a password, who has not linked it,", { password: "a password that is long" }, "identityNotLinked"],
])("a person %s is refused with a message", async (_, more, error) => {
  const { name } = await newInvitedPerson(more);
  const by = browser();
  const path = await signInAs(name, by);
  expect(path).toBe(`/sign-in?error=${error}`);
  expect(await (await by.ask(server.url + path)).text()).toContain('role="alert"');
  expect([...by.jar.keys()].filter((cookie) => cookie.includes("session-token"))).toEqual([]);
});

test("a person without an invitation is refused", async () => {
  provider.people.set("stranger", { email: "stranger@example.com" });
  expect(await signInAs("stranger")).toBe("/sign-in?error=identityUnknown");
});

test.each(["state", "nonce", "pkce.code_verifier"])(
  "a callback whose %s belongs to another attempt opens no session",
  async (check) => {
    const { name } = await newInvitedPerson();
    const [by, other] = [browser(), browser()];
    const callback = await by.comeBack(await by.leave(), name);
    await other.leave();
    const cookie = `next-auth.${check}`;
    by.jar.set(cookie, other.jar.get(cookie) ?? "");
    expect(refusalOf(await finalAddress(by, callback))).toBe("OAuthCallback");
  },
);

test("the sign-in page has the provider's button", async () => {
  const page = await fetch(`${server.url}/sign-in`, { headers: { "accept-language": "en" } });
  expect(await page.text()).toContain("Continue with");
});
