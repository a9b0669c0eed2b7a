import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { commandsOn } from "@/tests/support/command";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(() => startGateway());
const upstream = perFile(() => startUpstream(answerWith("fine")));

const { run, json } = commandsOn(() => gateway.databaseUrl);

test("from nothing to a paid call, a top-up, and a verified ledger, by commands alone", {
  timeout: 60_000,
}, async () => {
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
  await expect.poll(async () => (await call()).status, { timeout: 1_000 }).toBe(200);
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
  await expect.poll(async () => (await call()).status, { timeout: 1_000 }).toBe(403);
  await json("key", "enable", "--key", String(key.id));
  await json("account", "disable", "--account", "acme");
  await expect.poll(async () => (await call()).status, { timeout: 1_000 }).toBe(403);
  await json("account", "enable", "--account", "acme");
  await json("channel", "disable", "--channel", "c1");
  await expect.poll(async () => (await call()).status, { timeout: 1_000 }).toBe(502);
  await json("channel", "enable", "--channel", "c1");
  await expect.poll(async () => (await call()).status, { timeout: 1_000 }).toBe(200);
  await json("model", "set", "--id", "m1", "--kind", "chat", "--disabled");
  await expect.poll(async () => (await call()).status, { timeout: 1_000 }).toBe(404);
  await json("key", "delete", "--key", String(key.id));
  await expect.poll(async () => (await call()).status, { timeout: 1_000 }).toBe(401);
  expect(await json("channel", "test", "--channel", "c1")).toMatchObject({ ok: true, status: 200 });
  await json("channel", "remove", "--channel", "c1");
  expect(await json("key", "list", "--account", "acme")).toEqual([]);
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
