import { randomUUID } from "node:crypto";
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { getAccount, linkIdentity } from "@/server/access";
import { createLastUsed } from "@/server/access/keys/last-used";
import { appRouter } from "@/server/console/root";
import { transaction } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { adminClient } from "@/tests/support/admin-api";
import { commandsOn } from "@/tests/support/command";
import { callerFor, contextFor, PASSWORD } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { perFile, servedModel } from "@/tests/support/per-file";
import { signIns } from "@/tests/support/sign-ins";
import { deliver, paidEvent, STRIPE_KEYS, startStripe } from "@/tests/support/stripe";
import { answerWith, heldAnswer, startUpstream } from "@/tests/support/upstream";
import { codeAt } from "@/tests/support/user-room";
import { startVideoGateway, turbo } from "@/tests/support/video-client";

const ADDRESSES = {
  ...{ listed: "198.51.100.77", client: "198.51.100.78", program: "198.51.100.79" },
  browser: "198.51.100.80",
};

const stripe = perFile(() => startStripe());
const gateway = perFile(() =>
  startVideoGateway({
    ...STRIPE_KEYS,
    STRIPE_API_BASE: stripe.url,
    TRUSTED_PROXIES: "127.0.0.1",
    // No mail server listens there: e-mail stays in its table.
    SMTP_URL: "smtp://127.0.0.1:1",
    MAIL_FROM: "alerts@example.com",
  }),
);
const people = signIns(gateway);
const upstream = perFile(() => startUpstream(answerWith("Hello there")));
const modelId = servedModel({ gateway, upstream });
const { run, json } = commandsOn(() => gateway.databaseUrl, { VIDEO_POLL_SECONDS: "1" });

const sql = () => sqlOf(gateway.runtime.db);
type ProcedureCaller = Awaited<ReturnType<typeof callerFor>>;
type AskOptions = { path?: string; body?: object; headers?: Record<string, string> };
const chatBody = { messages: [{ role: "user", content: "hi" }] };
const ask = (secret: string, { path = "chat/completions", body = chatBody, headers = {} }: AskOptions = {}) =>
  gateway.post(
    secret,
    path,
    { model: String(modelId), ...body },
    { headers: { "x-forwarded-for": ADDRESSES.client, ...headers } },
  );

/** The places of these words in any column of any table, including bytes, as `table: row`. */
async function findWords(words: string[]): Promise<string[]> {
  const tables = await sql()<{ name: string }[]>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`;
  const places: string[] = [];
  for (const { name } of tables) {
    for (const word of words) {
      const rows = await sql()<{ row: string }[]>`
        select t::text as row from ${sql()(name)} t
        where strpos(t::text, ${word}) > 0 or strpos(t::text, ${Buffer.from(word).toString("hex")}) > 0`;
      places.push(...rows.map(({ row }) => `${name}: ${row}`));
    }
  }
  return places;
}

const entriesOf = (accountId: AccountId) =>
  sql()`select * from ledger_entries where account_id = ${accountId} order by id, kind`;
const monthsOf = (accountId: AccountId) =>
  sql()`select period, quota, topups, used, frozen from account_months where account_id = ${accountId}`;

/** A user with a password, a session, a link to a provider, a second factor and an alert, who acts from one address. */
async function ownerOf(accountId: AccountId, { email, word }: { email: string; word: string }) {
  const { link } = await json<{ link: string }>("user", "create", "--email", email, "--account", accountId);
  await people.setPassword(link, PASSWORD);
  const viewer = await people.entered(email, PASSWORD);
  const seat = { ...(await contextFor(gateway, null)), viewer, address: ADDRESSES.browser };
  const owner = appRouter.createCaller(seat);
  const proof = { password: PASSWORD };
  await owner.security.beginLink({ proof });
  const { db } = gateway.runtime;
  const identity = { issuer: "https://login.example", subject: `subject ${word}`, email };
  await transaction(db, (tx) => linkIdentity(tx, { ...identity, sessionId: viewer.sessionId }));
  const { secret } = await owner.security.beginTotp({ proof });
  await owner.security.enableTotp({ code: codeAt(secret) });
  await owner.alerts.set({ userId: viewer.id, events: ["key.cap_threshold", "video.completed"] });
  return { owner, userId: viewer.id };
}

/** Moves money in every way that adds or spends it, including an operator's price and code. */
async function moveMoney(
  owner: ProcedureCaller,
  { accountId, operator }: { accountId: AccountId; operator: ProcedureCaller },
) {
  const { codes } = await operator.codes.create({ name: "spring", amount: "2.5", count: 1 });
  await owner.codes.redeem({ code: codes[0] ?? "" });
  const { id } = await owner.payments.create({ amount: "50" });
  const session = stripe.sessions.find(({ paymentId }) => paymentId === id) ?? expect.fail("no session");
  expect((await deliver(gateway.url, paidEvent(session))).status).toBe(200);
  await operator.accounts.topUp({ accountId, amount: "5", reason: "goodwill" });
}

/** A customer with all the data that customers leave behind, under a unique word. */
async function customerWithTraces() {
  const word = randomUUID();
  const made = await gateway.customer();
  const { accountId, secret } = made;
  const operator = await callerFor(gateway, { role: "operator" });
  await operator.accounts.rename({ accountId, name: `Firm ${word}` });
  const former = `former-${word}@example.com`;
  const gone = await ownerOf(accountId, { email: former, word: `former ${word}` });
  await gone.owner.keys.create({ name: `first ${word}` });
  await operator.users.remove({ userId: gone.userId });
  const email = `person-${word}@example.com`;
  const { owner, userId } = await ownerOf(accountId, { email, word });
  const { id: keyId } = await owner.keys.create({ name: `key ${word}`, allowedIps: [ADDRESSES.listed] });
  await owner.keys.setStatus({ keyId, status: "disabled" });
  const program = await owner.managementKeys.create({ name: `program ${word}`, isReadOnly: false });
  const answer = await adminClient(gateway, program.secret)(
    "POST /keys",
    { name: `made by a program ${word}` },
    { "idempotency-key": word, "x-forwarded-for": ADDRESSES.program },
  );
  expect(answer.status).toBe(201);
  const revoked = await owner.managementKeys.create({ name: `old program ${word}`, isReadOnly: false });
  const before = await adminClient(gateway, revoked.secret)("POST /keys", {
    name: word,
  });
  expect(before.status).toBe(201);
  await owner.managementKeys.revoke({ managementKeyId: revoked.id });
  await owner.webhooks.create({ url: `https://${word}.example/hook`, events: ["video.completed"] });
  await moveMoney(owner, { accountId, operator });
  for (const response of [
    await ask(secret),
    await ask(secret, { headers: { "idempotency-key": word } }),
    await ask(secret, { path: "responses", body: { input: word, [word]: 1 } }),
    await ask(secret, { path: "conversations", body: { items: [{ role: "user", content: word }] } }),
  ]) {
    expect(response.status).toBe(200);
    await response.text();
  }
  // A model that does not exist, under a name of the client's own.
  expect((await ask(secret, { body: { ...chatBody, model: `my ${word}` } })).status).toBe(404);
  await owner.keys.update({ keyId: made.keyId, name: `capped ${word}`, monthlyCap: "0.06" });
  const taskId = await gateway.begin(secret, { ...turbo, prompt: `a cat ${word}` });
  await gateway.reach(secret, taskId, "completed");
  await gateway.runtime.notifications.watch();
  await gateway.runtime.calls.flush();
  await gateway.runtime.access.flushUses();
  return { ...made, word, email, former, operator, userId };
}

/** Operators get the events of every account, too. */
beforeAll(async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  await operator.installationWebhooks.create({
    url: "https://operators.example/hook",
    events: ["key.cap_threshold", "video.completed"],
  });
});

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
