import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { commandsOn } from "@/tests/support/command";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { answerMessageWith } from "@/tests/support/messages-answer";
import {
  type Answer,
  answerWith,
  type FakeUpstream,
  refuseWith,
  sendJson,
  startUpstream,
} from "@/tests/support/upstream";

let gateway: TestGateway;
let upstream: FakeUpstream;

/** In the dialect and for the operation that it was asked in. */
const answer: Answer = (asked, response, request) => {
  if (asked.path.endsWith("/embeddings")) {
    return sendJson(response, 200, { data: [{ index: 0, embedding: [1] }], usage: { prompt_tokens: 1 } });
  }
  const say = asked.path.endsWith("/messages") ? answerMessageWith : answerWith;
  return say("fine")(asked, response, request);
};

beforeAll(async () => {
  gateway = await startGateway();
  upstream = await startUpstream(answer);
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

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
    const viewer = await json("user", "create", ...of("viewer@tollgate.test"), "--read-only");
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
      "user.reset_password",
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

const newChannel = (...flags: string[]) => [
  "channel",
  "add",
  "--name",
  "x",
  "--secret",
  "s",
  "--model",
  "m",
  ...flags,
];

test("a vendor's name stands for its endpoint and its models' capabilities, which the operator may overrule", async () => {
  const vendors = (await json("channel", "vendors")) as unknown as { id: string; base_url: string | null }[];
  expect(vendors).toContainEqual({
    id: "zai",
    name: expect.any(String),
    dialect: "openai",
    base_url: "https://api.z.ai/api/paas/v4",
  });
  const words = ["channel", "add", "--name", "claude", "--vendor", "anthropic", "--secret", "s"];
  const overruled = ["--capability", "a:b:maxOutputTokens=4096", "--capability", "a:b:effortLevels=low,high"];
  expect(
    await json(...words, "--model", "a:b=claude-opus-4-8", "--model", "claude-haiku-4-5", ...overruled),
  ).toMatchObject({ vendor: "anthropic", dialect: "anthropic", base_url: "https://api.anthropic.com/v1" });
  expect(await json("channel", "list", "--channel", "claude")).toMatchObject([
    {
      vendor: "anthropic",
      capabilities: {
        "a:b": { thinking: "adaptive", maxOutputTokens: 4096, effortLevels: ["low", "high"] },
        "claude-haiku-4-5": { thinking: "budget", maxOutputTokens: 64_000, effortLevels: [] },
      },
    },
  ]);
  await json("channel", "remove", "--channel", "claude");
});

test("a channel that is added before its models says which of them the catalog lacks, and then no more", async () => {
  const words = ["--vendor", "zai", "--secret", "s", "--model", "early", "--model", "earlier=glm-5"];
  const { note } = await json("channel", "add", "--name", "before", ...words);
  expect(note).toContain("earlier, early");
  for (const id of ["early", "earlier"]) {
    await json("model", "set", "--id", id, "--kind", "chat", "--input", "1", "--output", "1");
  }
  expect(await json("channel", "add", "--name", "after", ...words)).not.toHaveProperty("note");
  await json("channel", "remove", "--channel", "before");
  await json("channel", "remove", "--channel", "after");
});

test.each([
  ["openai", "gpt-5.1", "/v1/chat/completions", { max_completion_tokens: expect.any(Number) }],
  ["openai", "text-embedding-3-small", "/v1/embeddings", { input: expect.any(String) }],
  ["anthropic", "claude-haiku-4-5", "/v1/messages", { max_tokens: expect.any(Number) }],
] as const)("the test of an %s channel whose model is %s calls %s", async (...expected) => {
  const [dialect, model, path, body] = expected;
  const words = ["--dialect", dialect, "--base-url", upstream.baseUrl, "--secret", "s", "--model", model];
  await json("channel", "add", "--name", model, ...words);
  const stream = path === "/v1/embeddings" ? undefined : true;
  const tested = await json("channel", "test", "--channel", model);
  expect(tested).toMatchObject({ ok: true, usage: { input_tokens: expect.any(Number) } });
  expect(upstream.asked.at(-1)?.body.stream).toBe(stream);
  expect(upstream.asked.at(-1)).toMatchObject({ path, body: { model, ...body } });
  await json("channel", "remove", "--channel", model);
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
  const { sql } = gateway.runtime.db;
  await sql`update account_months set used = 5 where account_id = ${accountId}`;
  const { code, out } = await run("ledger", "verify", "--json");
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject([
    { account: accountId, figure: "used", recorded: "0.000000005", recomputed: "0" },
  ]);
  await sql`update account_months set used = 0 where account_id = ${accountId}`;
});

describe("what a command refuses", () => {
  const usageErrors = [
    ["nothing at all", []],
    ["an unknown noun", ["planet", "list"]],
    ["an unknown verb", ["account", "explode"]],
    ["a missing flag", ["account", "create", "--name", "x"]],
    ["an unknown flag", ["account", "show", "--account", "x", "--loud"]],
    ["an amount that is none", ["account", "create", "--name", "x", "--quota", "1e3"]],
    ["a negative amount", ["account", "create", "--name", "x", "--quota=-1"]],
    [
      "an unknown dialect",
      [
        "channel",
        "add",
        "--name",
        "x",
        "--dialect",
        "klingon",
        "--base-url",
        "http://x",
        "--secret",
        "s",
        "--model",
        "m",
      ],
    ],
    ["neither a vendor nor a dialect", newChannel("--base-url", "http://x")],
    ["an unknown vendor", newChannel("--vendor", "acme")],
    ["a vendor of another dialect", newChannel("--vendor", "zai", "--dialect", "anthropic")],
    ["a vendor without a base URL of its own", newChannel("--vendor", "azure-openai")],
    ["an unknown capability", newChannel("--vendor", "zai", "--capability", "m:telepathy=true")],
    ["a capability of no model", newChannel("--vendor", "zai", "--capability", "other:topK=true")],
    [
      "a way of thinking of the other dialect",
      newChannel("--vendor", "zai", "--capability", "m:thinking=budget"),
    ],
    ["a moment that is none", ["key", "create", "--account", "x", "--name", "y", "--expires", "soon"]],
  ] as const;
  test.each(usageErrors)("%s: exit 2, a reason, nothing on stdout", async (_name, words) => {
    const { code, out, err } = await run(...words);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.trim()).not.toBe("");
  });

  test("a capability's value that is none is named", async () => {
    const words = newChannel("--vendor", "zai", "--capability", "m:maxStops=many");
    expect(await run(...words)).toMatchObject({ code: 2, out: "", err: expect.stringContaining("maxStops") });
  });

  test("an account that does not exist: exit 1 with the reason", async () => {
    expect(await run("account", "show", "--account", "nobody")).toEqual({
      code: 1,
      out: "",
      err: 'there is no account "nobody"\n',
    });
  });

  test("an allow-list rule that is none: exit 1 with the reason", async () => {
    const { accountId } = await gateway.customer();
    const { code, err } = await run(
      "key",
      "create",
      "--account",
      accountId,
      "--name",
      "k",
      "--allow-ip",
      "10.0.0.0/40",
    );
    expect(code).toBe(1);
    expect(err).toContain("10.0.0.0/40");
  });

  test("a channel whose upstream refuses: exit 1 with the upstream's words", async () => {
    const refusing = await startUpstream(refuseWith(401, "your key is old"));
    const model = await gateway.model();
    const id = await gateway.channel({ model, baseUrl: refusing.baseUrl });
    const { code, err } = await run("channel", "test", "--channel", id);
    expect(code).toBe(1);
    expect(err).toContain("your key is old");
    await refusing.close();
  });
});
