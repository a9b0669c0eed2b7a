/**
 * The parts that commands add to their operations: flags, exit codes, and an account's whole life by commands alone.
 */
import { beforeEach, describe, expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { commandsOn } from "@/tests/support/command";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { answerWith, refuseWith, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(() => startGateway());
const upstream = perFile(() => startUpstream(answerWith("fine")));

const commands = commandsOn(() => gateway.databaseUrl);
/** Runs a command line as a person types it. */
const run = (line: string) => commands.run(...line.split(" ").filter(Boolean));
const json = <T = Record<string, unknown>>(line: string) => commands.json<T>(...line.split(" "));

test("commands alone lead from nothing to a paid call, a top-up, and a verified ledger", async () => {
  const signIn = "--email o@acme.test --password a-long-password";
  const account = await json(`account create --name acme --quota 10.5 ${signIn}`);
  expect(account).toMatchObject({
    ...{ name: "acme", status: "active", period: expect.stringMatching(/^\d{4}-\d{2}$/) },
    ...{ quota: "10.5", used: "0", frozen: "0", available: "10.5" },
  });
  const prices = "--input 3 --output 6 --cache-read 0.3 --cache-write-1h 6";
  expect(await json(`model set --id m1 --kind chat ${prices} --max-output 500`)).toMatchObject({
    id: "m1",
    enabled: true,
    prices: { input: "3", output: "6", cache_read: "0.3", cache_write: "3", cache_write_1h: "6" },
  });
  const facts = "--context-window 8000 --input-modality text --tools no";
  expect(await json(`model set --id m1 --kind chat ${facts} --thinking none`)).toMatchObject({
    ...{ context_window: 8000, input_modalities: ["text"], output_modalities: null },
    ...{ tools: false, thinking: null, max_output: 500 },
  });
  await json("model set --id gpt-4o --kind chat --input 1 --output 1 --tools none");
  expect(await json<object[]>("model fill")).toMatchObject([
    { id: "gpt-4o", context_window: 128_000, max_output: 16_384, tools: true },
  ]);
  const vendor = `--dialect openai --base-url ${upstream.baseUrl} --secret vendor-secret --model m1=vendor/m1`;
  const channel = { id: expect.stringMatching(/^chn_/), priority: 3, weight: 2, models: { m1: "vendor/m1" } };
  expect(await json(`channel add --name c1 ${vendor} --priority 3 --weight 2`)).toMatchObject(channel);
  expect(JSON.stringify(await json("channel list"))).not.toContain("vendor-secret");
  const rules = "--rpm 100 --allow-ip 127.0.0.1/8 --allow-ip ::1 --expires 2099-01-01T00:00:00Z";
  const key = await json(`key create --account acme --name k1 ${rules}`);
  expect(key).toMatchObject({ name: "k1", allow_ips: ["127.0.0.0/8", "::1"] });
  expect(key.id).toMatch(/^key_/);
  expect(key.secret).toMatch(/^sk-\w{43}$/);

  const call = () =>
    gateway.chat(String(key.secret), { model: "m1", messages: [{ role: "user", content: "hi" }] });
  const becomes = (status: number) => eventually(async () => (await call()).status, 1_000).toBe(status);
  await becomes(200);
  const shown = await json(`account show --account ${account.id}`);
  expect(Number(shown.used)).toBeCloseTo(0.00006, 9);
  expect(await json("account topup --account acme --amount 5")).toMatchObject({ quota: "10.5", topups: "5" });
  const set = await json("account set-quota --account acme --amount 20");
  expect(set).toMatchObject({ quota: "20", topups: "5" });
  const entries = await json<{ kind: string }[]>("ledger list --account acme --limit 10");
  expect(entries.map((entry) => entry.kind)).toEqual(["adjust", "topup", "capture", "grant"]);
  expect(await json("ledger verify")).toEqual({ ok: true, drift: [] });

  await json(`key disable --key ${key.id}`);
  await becomes(403);
  await json(`key enable --key ${key.id}`);
  await json("account disable --account acme");
  await becomes(403);
  await json("account enable --account acme");
  await json("channel disable --channel c1");
  await becomes(502);
  await json("channel enable --channel c1");
  await becomes(200);
  await json("model set --id m1 --kind chat --disabled");
  await becomes(404);
  await json(`key delete --key ${key.id}`);
  await becomes(401);
  expect(await json("channel test --channel c1")).toMatchObject({ ok: true, status: 200 });
  await json("channel remove --channel c1");
  expect(await json("key list --account acme")).toEqual([]);
});

test("drift is reported with exit code 1 and its rows", async () => {
  const { accountId } = await gateway.customer({ quota: "1" });
  await gateway.balance(accountId);
  const sql = sqlOf(gateway.runtime.db);
  await sql`update account_months set used = 5 where account_id = ${accountId}`;
  const { code, out } = await run("ledger verify --json");
  expect(code).toBe(1);
  expect(JSON.parse(out)).toMatchObject([
    { account: accountId, figure: "used", recorded: "0.000000005", recomputed: "0" },
  ]);
  await sql`update account_months set used = 0 where account_id = ${accountId}`;
});

test.each(["--json channel vendors", "channel --json vendors", "channel vendors --json"])(
  "--json may stand anywhere: %s",
  async (line) => {
    const { code, out } = await run(line);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toContainEqual(expect.objectContaining({ id: "zai" }));
  },
);

test("a vendor's name stands for its endpoint and its models' capabilities, which the operator may override", async () => {
  expect(await json<object[]>("channel vendors")).toContainEqual({
    id: "zai",
    name: expect.any(String),
    dialect: "openai",
    base_url: "https://api.z.ai/api/paas/v4",
  });
  const overruled = "--capability a:b:maxOutputTokens=4096 --capability a:b:effortLevels=low,high";
  const models = "--model a:b=claude-opus-4-8 --model claude-haiku-4-5";
  expect(
    await json(`channel add --name claude --vendor anthropic --secret s ${models} ${overruled}`),
  ).toMatchObject({ vendor: "anthropic", dialect: "anthropic", base_url: "https://api.anthropic.com/v1" });
  expect(await json("channel list --channel claude")).toMatchObject([
    {
      vendor: "anthropic",
      capabilities: {
        "a:b": { thinking: "adaptive", maxOutputTokens: 4096, effortLevels: ["low", "high"] },
        "claude-haiku-4-5": { thinking: "budget", maxOutputTokens: 64_000, effortLevels: [] },
      },
    },
  ]);
  await json("channel remove --channel claude");
});

test("a channel that is added before its models names those that the catalog lacks, and none later", async () => {
  const options = "--vendor zai --secret s --model early --model earlier=glm-5";
  expect((await json(`channel add --name before ${options}`)).note).toContain("earlier, early");
  for (const id of ["early", "earlier"]) {
    await json(`model set --id ${id} --kind chat --input 1 --output 1`);
  }
  expect(await json(`channel add --name after ${options}`)).not.toHaveProperty("note");
  await json("channel remove --channel before");
  await json("channel remove --channel after");
});

describe("a command refuses", () => {
  const newChannel = "channel add --name x --secret s --model m";

  test.each([
    ["an empty line", ""],
    ["an unknown noun", "planet list"],
    ["an unknown verb", "account explode"],
    ["a missing flag", "account create --name x"],
    ["an unknown flag", "account show --account x --loud"],
    ["an invalid amount", "account create --name x --quota 1e3"],
    ["a negative amount", "account create --name x --quota=-1"],
    ["an unknown dialect", `${newChannel} --dialect klingon --base-url http://x`],
    ["neither a vendor nor a dialect", `${newChannel} --base-url http://x`],
    ["an unknown vendor", `${newChannel} --vendor acme`],
    ["a vendor of another dialect", `${newChannel} --vendor zai --dialect anthropic`],
    ["a vendor without a base URL of its own", `${newChannel} --vendor azure-openai`],
    ["an unknown capability", `${newChannel} --vendor zai --capability m:telepathy=true`],
    ["a capability of no model", `${newChannel} --vendor zai --capability other:topK=true`],
    ["a way of thinking of the other dialect", `${newChannel} --vendor zai --capability m:thinking=budget`],
    ["an invalid date", "key create --account x --name y --expires soon"],
  ])("%s with exit code 2, a reason, and nothing on stdout", async (_name, line) => {
    const { code, out, err } = await run(line);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err.trim()).not.toBe("");
  });

  test("an invalid value of a capability, by the capability's name", async () => {
    const refused = await run(`${newChannel} --vendor zai --capability m:maxStops=many`);
    expect(refused).toMatchObject({ code: 2, out: "", err: expect.stringContaining("maxStops") });
  });

  test("an unknown account, with exit code 1 and the reason", async () => {
    const err = 'account "nobody" does not exist\n';
    expect(await run("account show --account nobody")).toEqual({ code: 1, out: "", err });
  });

  test("a channel whose upstream refuses, with exit code 1 and the upstream's words", async () => {
    const refusing = await startUpstream(refuseWith(401, "your key is old"));
    const model = await gateway.model();
    const id = await gateway.channel({ model, baseUrl: refusing.baseUrl });
    const err = expect.stringContaining("your key is old");
    expect(await run(`channel test --channel ${id}`)).toMatchObject({ code: 1, err });
    await refusing.close();
  });
});

describe("channel edit", () => {
  let serial = 0;
  let name: string;
  beforeEach(async () => {
    name = `edited-${serial++}`;
    const models = "--model a=x --model b --capability a:topK=true";
    const traffic = "--priority 3 --max-tasks 4 --timeout 5 --idle-timeout 6";
    await json(`channel add --name ${name} --vendor zai --secret sk-first-of-zai ${models} ${traffic}`);
  });

  const edit = (flags: string) => `channel edit --channel ${name} ${flags}`;
  const shown = async () => (await json<object[]>(`channel list --channel ${name}`))[0];

  test("removes what a channel can be without by the value none", async () => {
    const lifted = edit("--vendor none --max-tasks none --timeout none --idle-timeout none");
    const times = { timeout_seconds: null, idle_timeout_seconds: null };
    expect(await json(lifted)).toMatchObject({ vendor: null, max_tasks: null, ...times, priority: 3 });
  });

  test.each([
    ["an unknown vendor", "--vendor acme", 2],
    ["a vendor of another dialect", "--vendor anthropic", 1],
    ["a capability of no model", "--capability other:topK=true", 2],
    ["a capability of a removed model", "--model b --capability a:topK=true", 2],
    ["an invalid number", "--timeout 0", 2],
    ["an invalid base URL", "--base-url gopher://zai.test", 1],
  ])("refuses %s, and nothing changes", async (_name, flags, code) => {
    const before = await shown();
    expect(await run(edit(`--weight 7 ${flags}`))).toMatchObject({ code, out: "" });
    expect(await shown()).toEqual(before);
  });
});

test("the second of two additions of a model at once changes what the first one added", async () => {
  const set = (owner: string) => json(`model set --id raced --kind chat --owner ${owner}`);
  const made = await Promise.all([set("one"), set("two")]);
  expect(made.map(({ owner }) => owner).sort()).toEqual(["one", "two"]);
});
