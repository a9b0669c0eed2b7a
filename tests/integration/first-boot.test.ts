import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  changePassword,
  createSignInLimiter,
  deleteKey,
  getUserByEmail,
  listAccounts,
  listKeys,
  redeemLink,
  resetPassword,
  setAccountStatus,
  setKeyStatus,
  setUserStatus,
} from "@/server/access";
import { listChannels } from "@/server/channels";
import { sqlOf } from "@/server/db/handles";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { firstBoot } from "@/server/process/first-boot";
import type { Runtime } from "@/server/runtime/runtime";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { branded } from "../support/branded";

const home = temporaryDirectory();

test("replicas that start at once on an empty database all start, and one of them returns the link to sign in", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const made = await Promise.all([1, 2, 3].map(() => firstBoot(gateway.runtime, () => {})));
  expect(made.filter((each) => each.adminLink !== undefined)).toHaveLength(1);
  expect(await firstBoot(gateway.runtime, () => {})).toEqual({});
});

describe("the sandbox", () => {
  /** Starts on an external database with this value of `SANDBOX`. */
  async function startWith(sandbox: string | undefined) {
    const gateway = await startGateway({ env: sandbox === undefined ? {} : { SANDBOX: sandbox } });
    onTestFinished(() => gateway.close());
    const boot = () => firstBoot(gateway.runtime, () => {});
    const dialects = async () => (await listChannels(gateway.runtime.db)).map(({ dialect }) => dialect);
    return { gateway, boot, dialects };
  }

  test("of an external database is there if SANDBOX is on: the README's first call is answered", async () => {
    const { gateway, boot, dialects } = await startWith("on");
    expect(await boot()).not.toHaveProperty("demoKey");
    expect(await listAccounts(gateway.runtime.db)).toEqual([]);
    const { secret } = await gateway.customer();
    const answer = await gateway.chat(secret, {
      model: "sandbox-chat",
      messages: [{ role: "user", content: "Hello" }],
    });
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ model: "sandbox-chat" }),
    ]);
    await boot();
    expect(await dialects()).toEqual(["sandbox"]);
  });

  test.each(["off", undefined])("of an external database is not there with SANDBOX %s", async (sandbox) => {
    const { boot, dialects } = await startWith(sandbox);
    await boot();
    expect(await dialects()).toEqual([]);
  });

  test("is added once by replicas that start at once", async () => {
    const { boot, dialects } = await startWith("on");
    await Promise.all([boot(), boot(), boot()]);
    expect(await dialects()).toEqual(["sandbox"]);
  });
});

test("the first start on an external database makes no password: its administrator sets one by a link, once", async () => {
  const dataDir = await mkdtemp(join(home, "first-"));
  const env = { TOLLGATE_ADMIN_EMAIL: "first@tollgate.test", TOLLGATE_DATA_DIR: dataDir };
  const gateway = await startGateway({ env });
  onTestFinished(() => gateway.close());
  const { db } = gateway.runtime;
  const made = await firstBoot(gateway.runtime, () => {});
  // The server's folder keeps nothing of it.
  expect(await readdir(dataDir)).toEqual([]);
  expect(made).toEqual({
    adminEmail: "first@tollgate.test",
    adminLink: expect.stringMatching(/^\/set-password#[\w-]{43}$/),
  });
  const token = made.adminLink?.split("#")[1] ?? "";
  const [stored] = await sqlOf(db)`select password_hash, to_jsonb(l)::text as link
    from users u join user_links l on l.user_id = u.id`;
  expect(stored).toMatchObject({ password_hash: null, link: expect.not.stringContaining(token) });
  const claim = { token, password: "chosen by myself", address: null };
  const deps = { attempts: createSignInLimiter(db) };
  await redeemLink(db, deps, claim);
  await expect(redeemLink(db, deps, claim)).rejects.toMatchObject({ reason: "linkInvalid" });
});

test("while no operator has set a password, each later start says how to get another link", async () => {
  const gateway = await startGateway({ env: { TOLLGATE_ADMIN_EMAIL: "first@tollgate.test" } });
  onTestFinished(() => gateway.close());
  const { runtime } = gateway;
  const boot = async () => {
    const lines: string[] = [];
    return { made: await firstBoot(runtime, (line) => lines.push(line)), lines };
  };
  const first = await boot();
  expect(first.lines).toEqual([]);
  expect(await boot()).toEqual({
    made: {},
    lines: [expect.stringContaining("user reset-password --email first@tollgate.test")],
  });
  const token = first.made.adminLink?.split("#")[1] ?? "";
  const attempts = createSignInLimiter(runtime.db);
  await redeemLink(runtime.db, { attempts }, { token, password: "chosen by myself", address: null });
  expect(await boot()).toEqual({ made: {}, lines: [] });
});

test("a configured password is neither shown nor replaced", async () => {
  const password = "given by the environment";
  const gateway = await startGateway({ env: { TOLLGATE_ADMIN_PASSWORD: password } });
  onTestFinished(() => gateway.close());
  const lines: string[] = [];
  const made = await firstBoot(gateway.runtime, (line) => lines.push(line));
  expect(JSON.stringify([made, lines])).not.toContain(password);
  expect(made).toEqual({ adminEmail: "admin@tollgate.local" });
});

describe("a later start on the embedded database", () => {
  const EMAIL = "first@tollgate.test";

  /**
   * Calls `run` with a function that starts on the embedded database; each start returns what it leaves in its folder.
   */
  async function onEmbedded(
    config: object,
    run: (start: () => Promise<object>, gateway: TestGateway) => Promise<void>,
  ) {
    const gateway = await startGateway({ env: { TOLLGATE_ADMIN_EMAIL: EMAIL } });
    const dataDir = await mkdtemp(join(home, "first-"));
    const { runtime } = gateway;
    const embedded = { DATABASE_URL: undefined, TOLLGATE_DATA_DIR: dataDir, ...config };
    const start = async () => {
      runtime.access.forget();
      const made = await firstBoot({ ...runtime, config: { ...runtime.config, ...embedded } }, () => {});
      expect(JSON.parse(await readFile(join(dataDir, "first-start.json"), "utf8"))).toEqual(made);
      return made;
    };
    onTestFinished(() => gateway.close());
    await run(start, gateway);
  }

  test("has neither sandbox nor demo account with SANDBOX=off", async () => {
    await onEmbedded({ SANDBOX: false }, async (start, { runtime }) => {
      expect(await start()).toEqual({ adminEmail: EMAIL, adminPassword: expect.any(String) });
      expect(await listAccounts(runtime.db)).toEqual([]);
      expect(await listChannels(runtime.db)).toEqual([]);
    });
  });

  const demoKey = expect.stringMatching(/^sk-\w{43}$/);
  const idOf = async ({ db }: Runtime) => (await getUserByEmail(db, EMAIL)).id;

  test.each<[string, (runtime: Runtime, password: string) => Promise<unknown>]>([
    [
      "its user has changed it",
      async (runtime, current) => {
        const deps = { attempts: createSignInLimiter(runtime.db) };
        const change = { userId: await idOf(runtime), current, next: "chosen by myself" };
        await changePassword(runtime.db, deps, change);
      },
    ],
    [
      "it is reset",
      async (runtime) => resetPassword(runtime.db, { userId: await idOf(runtime), by: null, password: null }),
    ],
    [
      "its user is disabled",
      async (runtime) => {
        await sqlOf(runtime.db)`insert into users (id, email, role, password_hash)
          values ('usr_other', 'other@tollgate.test', 'operator', 'x')`;
        const userId = await idOf(runtime);
        await setUserStatus(runtime.db, { userId, by: null, status: "disabled" });
      },
    ],
  ])("shows the first password again until %s", async (_, end) => {
    await onEmbedded({}, async (start, { runtime }) => {
      const first = await start();
      expect(first).toEqual({ adminEmail: EMAIL, adminPassword: expect.any(String), demoKey });
      expect(await start()).toEqual(first);
      await end(runtime, (first as { adminPassword: string }).adminPassword);
      expect(await start()).toEqual({ demoKey });
    });
  });

  test("gives the administrator's e-mail only while the configured password signs in", async () => {
    const variables = { TOLLGATE_ADMIN_PASSWORD: "given by the environment" };
    await onEmbedded(variables, async (start, { runtime }) => {
      expect(await start()).toEqual({ adminEmail: EMAIL, demoKey });
      expect(await start()).toEqual({ adminEmail: EMAIL, demoKey });
      const reset = { userId: await idOf(runtime), by: null, password: "another long password" };
      await resetPassword(runtime.db, reset);
      expect(await start()).toEqual({ demoKey });
    });
  });

  test.each<[string, (runtime: Runtime, key: { accountId: AccountId; keyId: KeyId }) => Promise<unknown>]>([
    ["the key is disabled", ({ db }, key) => setKeyStatus(db, { ...key, status: "disabled" })],
    ["the key is deleted", ({ db }, key) => deleteKey(db, key)],
    [
      "the account is disabled",
      ({ db }, { accountId }) => setAccountStatus(db, { accountId, status: "disabled" }),
    ],
  ])("shows the demo key again until %s", async (_, end) => {
    await onEmbedded({}, async (start, { runtime }) => {
      const first = await start();
      const demo = (await listAccounts(runtime.db)).find(({ name }) => name === "demo");
      const accountId = demo?.id ?? branded("");
      const [key] = await listKeys(runtime.db, { accountId });
      await end(runtime, { accountId, keyId: key?.id ?? branded("") });
      const { adminEmail, adminPassword } = first as Record<string, string>;
      expect(await start()).toEqual({ adminEmail, adminPassword });
    });
  });
});
