import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { getAccount } from "@/server/access";
import type { AccountId } from "@/server/base/ids";
import { sqlOf } from "@/server/db/handles";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { perFile, servedModel } from "@/tests/support/per-file";
import { waitFor } from "@/tests/support/process";
import { answerWith, heldAnswer, startUpstream } from "@/tests/support/upstream";
import { startVideoGateway, turbo } from "@/tests/support/video-client";

const gateway = perFile(() => startVideoGateway());
const upstream = perFile(() => startUpstream(answerWith("Hello there")));
const modelId = servedModel({ gateway, upstream });
const { run, json } = commandsOn(() => gateway.databaseUrl, { VIDEO_POLL_SECONDS: "1" });

const sql = () => sqlOf(gateway.runtime.db);
type Asked = { path?: string; body?: object; headers?: Record<string, string> };
const said = { messages: [{ role: "user", content: "hi" }] };
const ask = (secret: string, { path = "chat/completions", body = said, headers = {} }: Asked = {}) =>
  fetch(`${gateway.url}/v1/${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: String(modelId), ...body }),
  });

/** Where any of these words are, in any table, as `table: row`. */
async function findWords(words: string[]): Promise<string[]> {
  const tables = await sql()<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const found: string[] = [];
  for (const { name } of tables) {
    for (const word of words) {
      const rows = await sql()<{ row: string }[]>`
        select t::text as row from ${sql()(name)} t where strpos(t::text, ${word}) > 0`;
      found.push(...rows.map(({ row }) => `${name}: ${row}`));
    }
  }
  return found;
}

const entriesOf = (accountId: AccountId) =>
  sql()`select * from ledger_entries where account_id = ${accountId} order by id, kind`;
const monthsOf = (accountId: AccountId) =>
  sql()`select period, quota, topups, used, frozen from account_months where account_id = ${accountId}`;

/** Waits until the log of an account's calls, which is written a moment after them, has had no new row for 2 s. */
async function logSettled(accountId: AccountId) {
  let rows = 0;
  let since = Date.now();
  await waitFor(async () => {
    const [row] = await sql()<{ n: number }[]>`
      select count(*)::integer as n from calls where account_id = ${accountId}`;
    const now = row?.n ?? 0;
    since = now === rows ? since : Date.now();
    rows = now;
    return rows > 3 && Date.now() - since > 2_000;
  }, 30_000);
}

/** All that a customer leaves behind, under words that are nobody else's. */
async function customerWithTraces() {
  const word = randomUUID();
  const made = await gateway.customer();
  const { accountId, secret } = made;
  const operator = await callerFor(gateway, { role: "operator" });
  await operator.accounts.rename({ accountId, name: `Firm ${word}` });
  const email = `person-${word}@example.com`;
  await json("user", "create", "--email", email, "--account", accountId);
  const owner = await callerFor(gateway, { role: "owner", accountId });
  const { id: keyId } = await owner.keys.create({ name: `key ${word}`, allowedIps: ["198.51.100.77"] });
  await owner.keys.setStatus({ keyId, status: "disabled" });
  await owner.managementKeys.create({ name: `program ${word}`, isReadOnly: true });
  for (const response of [
    await ask(secret),
    await ask(secret, { headers: { "idempotency-key": word } }),
    await ask(secret, { path: "responses", body: { input: word } }),
  ]) {
    expect(response.status).toBe(200);
    await response.text();
  }
  const taskId = await gateway.begin(secret, { ...turbo, prompt: `a cat ${word}` });
  await gateway.reach(secret, taskId, "completed");
  await logSettled(accountId);
  const [user] = await sql()<{ id: string }[]>`select id from users where email = ${email}`;
  return { ...made, word, email, operator, userId: user?.id ?? "" };
}

describe("an account's personal data", () => {
  test("goes everywhere, while the ledger stays to the nano", async () => {
    const { accountId, word, email, operator } = await customerWithTraces();
    const traces = [word, email, "198.51.100.77"];
    const before = { entries: await entriesOf(accountId), months: await monthsOf(accountId) };
    const tables = new Set((await findWords(traces)).map((found) => found.split(":")[0]));
    expect([...tables].sort()).toEqual(
      ["accounts", "api_keys", "audit_entries", "management_keys", "users", "video_tasks"].sort(),
    );

    await expect(operator.accounts.erase({ accountId })).rejects.toThrow(/disable/i);
    expect(await findWords([word])).not.toEqual([]);
    await operator.accounts.setStatus({ accountId, status: "disabled" });
    await operator.accounts.erase({ accountId });

    expect(await findWords(traces)).toEqual([]);
    const left = async (table: string) =>
      (await sql()`select 1 from ${sql()(table)} where account_id = ${accountId}`).length;
    expect([await left("stored_responses"), await left("idempotent_calls"), await left("users")]).toEqual([
      0, 0, 0,
    ]);
    const addresses = await sql()`
      select address from calls where account_id = ${accountId} and address is not null
      union all select address from audit_entries where account_id = ${accountId} and action <> 'account.erase'
        and address is not null`;
    expect(addresses).toEqual([]);
    expect({ entries: await entriesOf(accountId), months: await monthsOf(accountId) }).toEqual(before);
    expect(await gateway.verify()).toEqual([]);
    const actions = await sql()<{ action: string }[]>`
      select action from audit_entries where account_id = ${accountId} order by id desc limit 1`;
    expect(actions).toEqual([{ action: "account.erase" }]);
    // Once more changes nothing and is no mistake.
    await operator.accounts.erase({ accountId });
    expect((await getAccount(gateway.runtime.db, accountId)).name).toBe(`erased ${accountId.slice(-12)}`);
  });

  test("of very many calls is the command's, which has the time; elsewhere it fails and changes nothing", async () => {
    const { accountId, secret } = await gateway.customer();
    expect((await ask(secret)).status).toBe(200);
    const addresses = () =>
      sql()`select 1 from calls where account_id = ${accountId} and address is not null`;
    await expect.poll(addresses, { timeout: 10_000 }).toHaveLength(1);
    await json("account", "disable", "--account", accountId);
    const { name } = await getAccount(gateway.runtime.db, accountId);
    // What millions of rows take.
    await sql().unsafe(`create function slow_calls() returns trigger language plpgsql as
      $$ begin perform pg_sleep(16); return null; end $$`);
    await sql().unsafe(
      "create trigger slow_calls before update on calls for each statement execute function slow_calls()",
    );
    try {
      const operator = await callerFor(gateway, { role: "operator" });
      await expect(operator.accounts.erase({ accountId })).rejects.toThrow();
      expect((await getAccount(gateway.runtime.db, accountId)).name).toBe(name);
      expect(await addresses()).toHaveLength(1);
      await json("account", "erase", "--account", accountId);
      expect(await addresses()).toEqual([]);
    } finally {
      await sql().unsafe("drop trigger slow_calls on calls");
    }
  }, 90_000);

  test("stays while a call is under way, and goes when that has ended", async () => {
    const { secret, accountId } = await gateway.customer();
    const { answer, goOn } = heldAnswer();
    upstream.answer(answer);
    const call = await ask(secret, { body: { ...said, stream: true } });
    await json("account", "disable", "--account", accountId);
    expect(await run("account", "erase", "--account", accountId)).toMatchObject({
      code: 1,
      err: expect.stringContaining("under way"),
    });
    expect((await getAccount(gateway.runtime.db, accountId)).name).not.toContain("erased");
    goOn();
    await call.text();
    upstream.answer(answerWith("Hello there"));
    await expect
      .poll(async () => (await run("account", "erase", "--account", accountId)).code, { timeout: 20_000 })
      .toBe(0);
    expect(await gateway.verify()).toEqual([]);
  });
});

describe("a user's personal data", () => {
  let left: Awaited<ReturnType<typeof customerWithTraces>>;
  beforeEach(async () => {
    left = await customerWithTraces();
  });

  test.each([
    ["is still there", false],
    ["was removed before", true],
  ])("goes when they ask for it, whether the user %s", async (_when, isRemoved) => {
    const { email, userId, operator, accountId } = left;
    if (isRemoved) {
      await operator.users.remove({ userId });
      expect(await findWords([email])).not.toEqual([]);
    }
    const entries = await sql()`select 1 from audit_entries where target_id = ${userId}`;
    await json("user", "erase", "--email", email);
    expect(await findWords([email])).toEqual([]);
    // What was done stays, and one entry more.
    expect(await sql()`select 1 from audit_entries where target_id = ${userId}`).toHaveLength(
      entries.length + 1,
    );
    expect((await getAccount(gateway.runtime.db, accountId)).status).toBe("active");
    expect(await run("user", "erase", "--email", email)).toMatchObject({ code: 1 });
  });
});

test("nobody erases themselves, or the last who can run the gateway", async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  const [last] = await sql()<
    { id: string }[]
  >`select id from users where role = 'operator' order by id desc limit 1`;
  await expect(operator.users.erase({ userId: last?.id ?? "" })).rejects.toThrow(/themselves/);
});
