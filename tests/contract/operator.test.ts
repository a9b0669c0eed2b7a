import { describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { commandsOn } from "@/tests/support/command";
import { eventually } from "@/tests/support/eventually";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answerWith("fine")));

const { run, json } = commandsOn(() => gateway.databaseUrl);

describe("users", () => {
  const of = (email: string) => ["--email", email];

  test("are made, listed, disabled, enabled, reset and removed by commands, and each change is recorded", async () => {
    const email = "second@tollgate.test";
    const made = await json("user", "create", ...of(email));
    expect(made).toMatchObject({
      email,
      role: "operator",
      account: null,
      has_password: false,
      link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000\/set-password#[\w-]{43}$/),
    });
    const viewer = await json("user", "create", ...of("viewer@tollgate.test"), "--role", "viewer");
    expect(viewer).toMatchObject({ role: "viewer" });
    const given = await json("user", "create", ...of("third@tollgate.test"), "--password", "a long password");
    expect(given).toMatchObject({ has_password: true, must_change_password: true });
    expect(given).not.toHaveProperty("link");
    expect(await json("user", "disable", ...of(email))).toMatchObject({ status: "disabled" });
    expect(await json("user", "enable", ...of(email))).toMatchObject({ status: "active" });
    const reset = await json("user", "reset-password", ...of(email));
    expect(reset.link).not.toBe(made.link);
    await json("user", "remove", ...of(email));
    const users = (await json("user", "list")) as unknown as { email: string }[];
    expect(users.map((user) => user.email)).not.toContain(email);
    const entries = (await json("audit", "list")) as unknown as { action: string }[];
    const actions = entries.map(({ action }) => action).filter((action) => action.startsWith("user."));
    expect(actions).toEqual([
      "user.remove",
      "user.invite",
      "user.enable",
      "user.disable",
      "user.create",
      "user.create",
      "user.create",
    ]);
    const said = JSON.stringify(entries);
    for (const secret of [made.link, reset.link, "a long password"]) {
      expect(said).not.toContain(String(secret).split("#").at(-1));
    }
  });

  test("the last operator who can sign in is not removed by a command either", async () => {
    const { code, err } = await run("user", "remove", ...of("third@tollgate.test"));
    expect([code, err]).toEqual([1, expect.stringContaining("last operator")]);
  });
});

test("an account's limits are set as it is made, by the flags that change them afterwards", async () => {
  const made = ["account", "create", "--name", "limited", "--quota", "1"];
  const limits = ["--rpm", "60", "--tpm", "100000", "--max-concurrent", "4"];
  expect(await json(...made, ...limits)).toMatchObject({ rpm: 60, tpm: 100_000, max_concurrent: 4 });
  const set = await json(
    "account",
    "set-limits",
    "--account",
    "limited",
    "--tpm",
    "2000000",
    "--rpm",
    "none",
  );
  expect(set).toMatchObject({ rpm: null, tpm: 2_000_000, max_concurrent: 4 });
  const refused = await run("account", "set-limits", "--account", "limited", "--tpm", "1000000001");
  expect([refused.code, refused.err]).toEqual([
    2,
    expect.stringContaining("--tpm must be a whole number from 1 to 1000000000"),
  ]);
  const [change] = (await json("audit", "list", "--account", "limited")) as unknown as object[];
  expect(change).toMatchObject({
    before: { requestsPerMinute: 60, tokensPerMinute: 100_000 },
    after: { requestsPerMinute: null, tokensPerMinute: 2_000_000 },
  });
});

test("from nothing to a paid call, a top-up, and a verified ledger, by commands alone", async () => {
  const account = await json(
    "account",
    "create",
    "--name",
    "acme",
    "--quota",
    "10.5",
    "--email",
    "o@acme.test",
    "--password",
    "a long password",
  );
  expect(account).toMatchObject({
    name: "acme",
    status: "active",
    quota: "10.5",
    used: "0",
    frozen: "0",
    available: "10.5",
    period: expect.stringMatching(/^\d{4}-\d{2}$/),
  });
  const model = await json(
    "model",
    "set",
    "--id",
    "m1",
    "--kind",
    "chat",
    "--input",
    "3",
    "--output",
    "6",
    "--cache-read",
    "0.3",
    "--cache-write-1h",
    "6",
    "--max-output",
    "500",
  );
  expect(model).toMatchObject({
    id: "m1",
    enabled: true,
    prices: { input: "3", output: "6", cache_read: "0.3", cache_write: "3", cache_write_1h: "6" },
  });
  const channel = await json(
    "channel",
    "add",
    "--name",
    "c1",
    "--dialect",
    "openai",
    "--base-url",
    upstream.baseUrl,
    "--secret",
    "vendor-secret",
    "--model",
    "m1=vendor/m1",
    "--priority",
    "3",
    "--weight",
    "2",
  );
  expect(channel).toMatchObject({
    id: expect.stringMatching(/^chn_/),
    priority: 3,
    weight: 2,
    models: { m1: "vendor/m1" },
  });
  expect(JSON.stringify(await json("channel", "list"))).not.toContain("vendor-secret");
  const key = await json(
    "key",
    "create",
    "--account",
    "acme",
    "--name",
    "k1",
    "--rpm",
    "100",
    "--allow-ip",
    "127.0.0.1/8",
    "--allow-ip",
    "::1",
    "--expires",
    "2099-01-01T00:00:00Z",
  );
  expect(key).toMatchObject({
    id: expect.stringMatching(/^key_/),
    name: "k1",
    secret: expect.stringMatching(/^sk-\w{43}$/),
    allow_ips: ["127.0.0.0/8", "::1"],
  });

  const call = () =>
    gateway.chat(String(key.secret), { model: "m1", messages: [{ role: "user", content: "hi" }] });
  await eventually(async () => (await call()).status, 1_000).toBe(200);
  const shown = await json("account", "show", "--account", String(account.id));
  expect(Number(shown.used)).toBeCloseTo(0.00006, 9);
  expect(await json("account", "topup", "--account", "acme", "--amount", "5")).toMatchObject({
    quota: "10.5",
    topups: "5",
  });
  expect(await json("account", "set-quota", "--account", "acme", "--amount", "20")).toMatchObject({
    quota: "20",
    topups: "5",
  });
  const entries = (await json("ledger", "list", "--account", "acme", "--limit", "10")) as unknown as {
    kind: string;
  }[];
  expect(entries.map((entry) => entry.kind)).toEqual(["adjust", "topup", "capture", "grant"]);
  expect(await json("ledger", "verify")).toEqual({ ok: true, drift: [] });

  await json("key", "disable", "--key", String(key.id));
  await eventually(async () => (await call()).status, 1_000).toBe(403);
  await json("key", "enable", "--key", String(key.id));
  await json("account", "disable", "--account", "acme");
  await eventually(async () => (await call()).status, 1_000).toBe(403);
  await json("account", "enable", "--account", "acme");
  await json("channel", "disable", "--channel", "c1");
  await eventually(async () => (await call()).status, 1_000).toBe(502);
  await json("channel", "enable", "--channel", "c1");
  await eventually(async () => (await call()).status, 1_000).toBe(200);
  await json("model", "set", "--id", "m1", "--kind", "chat", "--disabled");
  await eventually(async () => (await call()).status, 1_000).toBe(404);
  await json("key", "delete", "--key", String(key.id));
  await eventually(async () => (await call()).status, 1_000).toBe(401);
  expect(await json("channel", "test", "--channel", "c1")).toMatchObject({ ok: true, status: 200 });
  await json("channel", "remove", "--channel", "c1");
  expect(await json("key", "list", "--account", "acme")).toEqual([]);
});

test("a quota below what is spent stops the month there, and the ledger still adds up", async () => {
  const { accountId, secret } = await gateway.customer({ quota: "1" });
  const model = await gateway.model();
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
  const call = async () =>
    (await gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] })).status;
  expect(await call()).toBe(200);
  expect(await json("account", "set-quota", "--account", accountId, "--amount", "0")).toMatchObject({
    quota: "0.00002",
    available: "0",
  });
  expect(await call()).toBe(402);
  expect(await json("ledger", "verify")).toEqual({ ok: true, drift: [] });
});

test("drift is found: exit 1, and the rows", async () => {
  const { accountId } = await gateway.customer({ quota: "1" });
  await gateway.balance(accountId);
  const sql = sqlOf(gateway.runtime.db);
  await sql`update account_months set used = 5 where account_id = ${accountId}`;
  const { code, out } = await run("ledger", "verify", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject([
    { account: accountId, figure: "used", recorded: "0.000000005", recomputed: "0" },
  ]);
  await sql`update account_months set used = 0 where account_id = ${accountId}`;
});
