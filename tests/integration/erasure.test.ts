import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { getAccount } from "@/server/access";
import { createLastUsed } from "@/server/access/keys/last-used";
import { appRouter } from "@/server/console/root";
import type { AccountId } from "@/server/domain/ids";
import { callerFor, contextFor } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { ADDRESSES, chatBody, personalDataRoom } from "@/tests/support/personal-data";
import { answerWith, heldAnswer } from "@/tests/support/upstream";

const { gateway, upstream, modelId, run, json, sql, ask, findWords, customerWithTraces } = personalDataRoom();

const entriesOf = (accountId: AccountId) =>
  sql()`select * from ledger_entries where account_id = ${accountId} order by id, kind`;
const monthsOf = (accountId: AccountId) =>
  sql()`select period, quota, topups, used, frozen from account_months where account_id = ${accountId}`;

describe("an account's personal data", () => {
  test("is erased everywhere, while the ledger stays exact to the nano", async () => {
    const { accountId, word, operator } = await customerWithTraces();
    const traces = [word, ...Object.values(ADDRESSES)];
    const before = { entries: await entriesOf(accountId), months: await monthsOf(accountId) };
    const tables = (await findWords(traces)).map((place) => /^\w+?(?=_\d{4}_\d\d:|:)/.exec(place)?.[0]);
    expect([...new Set(tables)].sort()).toEqual([
      ...["accounts", "api_keys", "audit_entries", "calls", "idempotent_answers", "management_keys"],
      ...["user_identities", "users", "video_tasks", "webhook_deliveries", "webhooks"],
    ]);

    await expect(operator.accounts.erase({ accountId })).rejects.toThrow(/disable/i);
    expect(await findWords([word])).not.toEqual([]);
    await operator.accounts.setStatus({ accountId, status: "disabled" });
    await operator.accounts.erase({ accountId });

    expect(await findWords(traces)).toEqual([]);
    const left = async (table: string) =>
      (await sql()`select 1 from ${sql()(table)} where account_id = ${accountId}`).length;
    const all = ["stored_responses", "conversations", "idempotent_calls", "users"].map(left);
    expect(await Promise.all(all)).toEqual([0, 0, 0, 0]);
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
    // A second erasure changes nothing and is no error.
    await operator.accounts.erase({ accountId });
    expect((await getAccount(gateway.runtime.db, accountId)).name).toBe(`erased ${accountId.slice(-12)}`);
  });

  test("stays erased when a process writes its notes of the account's keys afterwards", async () => {
    const { accountId, keyId } = await gateway.customer();
    const uses = createLastUsed(gateway.runtime.db);
    uses.note(keyId, { at: new Date(), address: ADDRESSES.client });
    await json("account", "disable", "--account", accountId);
    await json("account", "erase", "--account", accountId);
    await uses.flush();
    expect(await sql()`select last_address from api_keys where id = ${keyId}`).toEqual([
      { last_address: null },
    ]);
  });

  test("of very many calls is erased by the command, which has the time; elsewhere the erasure fails and changes nothing", async () => {
    const { accountId, secret } = await gateway.customer();
    expect((await ask(secret)).status).toBe(200);
    const addresses = () =>
      sql()`select 1 from calls where account_id = ${accountId} and address is not null`;
    await eventually(addresses).toHaveLength(1);
    await json("account", "disable", "--account", accountId);
    const { name } = await getAccount(gateway.runtime.db, accountId);
    // Millions of rows take so long. PostgreSQL cancels a statement whose timeout is shorter.
    await sql().unsafe(`create function slow_calls() returns trigger language plpgsql as $$
      declare most_ms int = (select setting from pg_settings where name = 'statement_timeout');
      begin
        if most_ms between 1 and 16000 then
          raise query_canceled using message = 'canceling statement due to statement timeout';
        end if;
        return null;
      end $$`);
    await sql().unsafe(
      "create trigger slow_calls before update on calls for each statement execute function slow_calls()",
    );
    onTestFinished(() =>
      sql()
        .unsafe("drop trigger slow_calls on calls")
        .then(() => {}),
    );
    const operator = await callerFor(gateway, { role: "operator" });
    await expect(operator.accounts.erase({ accountId })).rejects.toThrow();
    expect((await getAccount(gateway.runtime.db, accountId)).name).toBe(name);
    expect(await addresses()).toHaveLength(1);
    await json("account", "erase", "--account", accountId);
    expect(await addresses()).toEqual([]);
  });

  test("cannot be erased while a call is in progress, and can be when the call has ended", async () => {
    const { secret, accountId } = await gateway.customer();
    const { answer, goOn } = heldAnswer();
    upstream.answer(answer);
    const call = await ask(secret, { body: { ...chatBody, stream: true } });
    await json("account", "disable", "--account", accountId);
    expect(await run("account", "erase", "--account", accountId)).toMatchObject({
      code: 1,
      err: expect.stringContaining("in progress"),
    });
    expect((await getAccount(gateway.runtime.db, accountId)).name).not.toContain("erased");
    goOn();
    await call.text();
    upstream.answer(answerWith("Hello there"));
    await eventually(async () => (await run("account", "erase", "--account", accountId)).code, 20_000).toBe(
      0,
    );
    expect(await gateway.verify()).toEqual([]);
  });
});

describe("a user's personal data", () => {
  let left: Awaited<ReturnType<typeof customerWithTraces>>;
  beforeEach(async () => {
    left = await customerWithTraces();
  });

  test.each([
    ["still exists", false],
    ["was removed before", true],
  ])("is erased on request, whether the user %s", async (_when, isRemoved) => {
    const { email, userId, operator, accountId } = left;
    if (isRemoved) {
      await operator.users.remove({ userId });
      expect(await findWords([email])).not.toEqual([]);
    }
    const entries = await sql()`select 1 from audit_entries where target_id = ${userId}`;
    await json("user", "erase", "--email", email);
    expect(await findWords([email])).toEqual([]);
    // The records of earlier changes stay, and there is one more entry.
    expect(await sql()`select 1 from audit_entries where target_id = ${userId}`).toHaveLength(
      entries.length + 1,
    );
    expect((await getAccount(gateway.runtime.db, accountId)).status).toBe("active");
    expect(await run("user", "erase", "--email", email)).toMatchObject({ code: 1 });
  });
});

test("erasing an operator removes their e-mail from what they created, which stays", async () => {
  const seat = await contextFor(gateway, { role: "operator" });
  const { id: userId = "", email = "" } = seat.viewer ?? {};
  const operator = appRouter.createCaller(seat);
  const { id: batchId } = await operator.codes.create({ name: "summer", amount: "1", count: 1 });
  const cells = [{ modelId: String(modelId), name: "input" as const, price: "7" }];
  await operator.prices.set({ cells, beginsAt: "2098-12-31T00:00:00.000Z" });
  const tables = (await findWords([email])).map((place) => place.split(":")[0]);
  expect(new Set(tables)).toEqual(new Set(["audit_entries", "code_batches", "model_prices", "users"]));
  const other = await callerFor(gateway, { role: "operator" });
  await other.users.erase({ userId });
  expect(await findWords([email])).toEqual([]);
  expect(await other.codes.get({ batchId })).toMatchObject({ createdBy: "erased", codes: 1 });
});

test("an operator cannot erase themselves", async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  const [last] = await sql()<
    { id: string }[]
  >`select id from users where role = 'operator' order by id desc limit 1`;
  await expect(operator.users.erase({ userId: last?.id ?? "" })).rejects.toThrow(/do this to yourself/);
});
