import { beforeAll, describe, expect, test } from "vitest";
import { type ChangeEntry, listChanges } from "@/server/audit";
import { sqlOf } from "@/server/db/handles";
import { commandsOn } from "@/tests/support/command";
import { perFile } from "@/tests/support/per-file";
import { type Json, startVideoGateway, turbo } from "@/tests/support/video-client";

const gateway = perFile(() => startVideoGateway());

const operator = commandsOn(() => gateway.databaseUrl, { VIDEO_POLL_SECONDS: "1" });
/** Runs a command, written as one would type it. */
const run = (line: string) => operator.run(...line.split(" "), "--json");
const json = <T = Json>(line: string) => operator.json<T>(...line.split(" "));

/** Newest first. */
const changes = async () => (await listChanges(gateway.runtime.db, {}, { limit: 50 })).rows;

/** What is recorded while `act` runs, newest first. */
async function recordedBy(act: () => Promise<unknown>): Promise<ChangeEntry[]> {
  const [newest] = await changes();
  await act();
  return (await changes()).filter((entry) => BigInt(entry.id) > BigInt(newest?.id ?? 0));
}

describe("every command that changes something records it", () => {
  let account: Json;
  let key: Json;
  beforeAll(async () => {
    account = await json("account create --name acme --quota 10");
    key = await json(`key create --account acme --name first`);
  });

  const commands: [line: string, entry: Json][] = [
    [
      "account create --name globex --quota 2.5 --email o@globex.test --password a-long-password",
      {
        action: "account.create",
        targetName: "globex",
        before: null,
        after: {
          name: "globex",
          quota: "2.5",
          user: "o@globex.test",
          requestsPerMinute: null,
          tokensPerMinute: null,
          maxConcurrent: null,
          dailyLimit: null,
        },
      },
    ],
    [
      "account set-quota --account acme --amount 20",
      { action: "account.set_quota", before: { quota: "10" }, after: { quota: "20" } },
    ],
    [
      "account set-quota --account acme --amount 21 --reason contract",
      {
        action: "account.set_quota",
        before: { quota: "20" },
        after: { quota: "21", reason: "contract" },
      },
    ],
    [
      "account topup --account acme --amount 0.000000001",
      {
        action: "account.top_up",
        before: null,
        after: { amount: "0.000000001", reason: "operator command", period: expect.any(String) },
      },
    ],
    [
      "account topup --account acme --amount 1 --reason goodwill",
      { action: "account.top_up", after: expect.objectContaining({ amount: "1", reason: "goodwill" }) },
    ],
    [
      "account disable --account acme",
      {
        action: "account.disable",
        targetName: "acme",
        before: { status: "active" },
        after: { status: "disabled" },
      },
    ],
    ["account disable --account acme", { action: "account.disable", before: {}, after: {} }],
    [
      "account enable --account acme",
      { action: "account.enable", before: { status: "disabled" }, after: { status: "active" } },
    ],
    [
      "channel add --name audited --vendor openai --secret sk-of-the-vendor --model audited-model",
      {
        action: "channel.create",
        accountId: null,
        before: null,
        after: expect.objectContaining({ credentials: 1, baseUrl: "https://api.openai.com/v1" }),
      },
    ],
    [
      "channel edit --channel audited --timeout 7 --secret sk-another-of-the-vendor --secret sk-of-the-vendor",
      {
        action: "channel.update",
        before: { timeoutSeconds: null, credentials: 1, credentialHints: ["ndor"] },
        after: { timeoutSeconds: 7, credentials: 2, credentialHints: ["ndor", "ndor"], newCredentials: 2 },
      },
    ],
    [
      "channel disable --channel audited",
      {
        action: "channel.disable",
        targetName: "audited",
        before: { isEnabled: true },
        after: { isEnabled: false },
      },
    ],
    [
      "channel enable --channel audited",
      { action: "channel.enable", before: { isEnabled: false }, after: { isEnabled: true } },
    ],
    [
      "channel remove --channel audited",
      { action: "channel.remove", before: expect.objectContaining({ name: "audited" }), after: null },
    ],
    [
      "model set --id audited-model --kind chat --input 1",
      {
        action: "model.save",
        targetId: "audited-model",
        before: null,
        after: expect.objectContaining({ isEnabled: true, inputPrice: "1", cacheReadPrice: null }),
      },
    ],
    [
      "model set --id audited-model --kind chat --max-output 5",
      {
        action: "model.save",
        before: { maxOutputTokens: expect.any(Number) },
        after: { maxOutputTokens: 5 },
      },
    ],
  ];
  test.each(commands)("%s", async (line, entry) => {
    const recorded = await recordedBy(() => json(line));
    expect(recorded).toEqual([
      expect.objectContaining({ actor: "command", address: null, targetId: expect.any(String), ...entry }),
    ]);
  });

  const keyCommands = [
    ["disable", { before: { status: "active" }, after: { status: "disabled" } }],
    ["enable", { before: { status: "disabled" }, after: { status: "active" } }],
    ["delete", { before: expect.objectContaining({ name: "first" }), after: null }],
  ] as const;
  test.each(keyCommands)("key %s", async (verb, entry) => {
    const recorded = await recordedBy(() => json(`key ${verb} --key ${key.id}`));
    const about = { action: `key.${verb}`, accountId: account.id, targetId: key.id, targetName: "first" };
    expect(recorded).toEqual([expect.objectContaining({ actor: "command", ...about, ...entry })]);
  });

  test("task cancel, before it is tried", async () => {
    const customer = await gateway.customer();
    const task = await gateway.begin(customer.secret, turbo);
    const recorded = await recordedBy(() => json(`task cancel --task ${task}`));
    expect(recorded).toMatchObject([
      { action: "task.cancel", accountId: customer.accountId, targetId: task, after: null },
    ]);
  });

  test("and `audit list` shows an account its own changes only, none with a secret in it", async () => {
    const own = await json<Json[]>("audit list --account acme");
    expect(own.map((entry) => entry.account)).toEqual(own.map(() => account.id));
    expect(own.map((entry) => entry.action).slice(-2)).toEqual(["key.create", "account.create"]);
    expect(own.at(-2)?.after).toMatchObject({ name: "first", lastFour: String(key.secret).slice(-4) });
    const sql = sqlOf(gateway.runtime.db);
    const stored = JSON.stringify(await sql`select before, after from audit_entries`);
    for (const secret of ["a-long-password", "of-the-vendor", String(key.secret)]) {
      expect(stored).not.toContain(secret);
    }
  });
});

describe("a command that is refused records nothing", () => {
  beforeAll(() =>
    json("account create --name again-0 --quota 1 --email taken@globex.test --password a-long-password"),
  );

  test.each([
    "account create --name again --quota 1 --email taken@globex.test --password a-long-password",
    "account disable --account nobody",
    "account topup --account again-0 --amount 0",
    "key disable --key key_none",
    "channel remove --channel none",
    "task cancel --task task_none",
  ])("%s", async (line) => {
    const recorded = await recordedBy(async () => {
      expect(await run(line)).toMatchObject({ code: 1, out: "" });
    });
    expect(recorded).toEqual([]);
  });
});
