import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { nanos } from "@/server/base/money";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { freshDatabase, openFresh } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { messages, perFile } from "@/tests/support/per-file";
import { temporaryDirectory } from "@/tests/support/temporary-directory";
import { sleep } from "@/tests/support/until";
import { answerWith, startUpstream } from "@/tests/support/upstream";
import { oneVideoPrice } from "@/tests/support/video-client";

const home = temporaryDirectory();
const link = perFile(async () => await linkTo(await freshDatabase()));
const gateway = perFile(async () =>
  startGateway({
    databaseUrl: link.url,
    env: { CHARGES: "file", OUTAGE_ALLOWANCE: "0.01", TOLLGATE_DATA_DIR: await mkdtemp(join(home, "data-")) },
  }),
);
const upstream = perFile(() => startUpstream(answerWith("ok")));
afterAll(() => link.mend());

/** The database itself, past the link. */
const ledger = perFile(async () => openFresh(link.directUrl, { connections: 1 }));

const partOf = async (accountId: AccountId) => {
  const [row] = await sqlOf(ledger)<{ amount: string }[]>`
    select amount::text from outage_parts where account_id = ${accountId}`;
  return nanos(row?.amount ?? "0");
};

const sold = async (accountId: AccountId) => {
  const [row] = await sqlOf(ledger)<{ calls: number; amount: string; of_month: string }[]>`
    select count(*)::int as calls, coalesce(sum(amount), 0)::text as amount,
      (select outage::text from account_months where account_id = ${accountId}) as of_month
    from ledger_entries where account_id = ${accountId} and note like 'outage%'`;
  return row;
};

async function served() {
  const model = await gateway.model();
  const video = await gateway.model({ kind: "video", videoPrices: oneVideoPrice("0.001") });
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
  const customer = async (terms: Parameters<typeof gateway.customer>[0] = {}) => {
    const { secret, accountId } = await gateway.customer(terms);
    const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const response = await gateway.post(secret, path, { model, ...body }, { headers });
      await response.text();
      return response.status;
    };
    const chat = (body: object = {}, headers = {}) =>
      post("chat/completions", { messages, max_tokens: 20, ...body }, headers);
    const get = async (path: string) => {
      const response = await fetch(`${gateway.url}${path}`, {
        headers: { authorization: `Bearer ${secret}` },
      });
      await response.text();
      return response.status;
    };
    expect(await chat()).toBe(200);
    expect(await get("/v1/models")).toBe(200);
    return { accountId, post, chat, get };
  };
  return { video, customer };
}

test("while the database is away, what is in memory is served out of the allowance, and all else is a 503", async () => {
  const { video, customer } = await served();
  const usual = await customer();
  const limited = await customer({ requestsPerMinute: 3 });
  const capped = await customer({ monthlyCap: nanos(1_000_000_000n) });
  const stranger = (await gateway.customer()).secret;
  await eventually(async () => (await partOf(usual.accountId)) > 0n, 30_000).toBe(true);
  await eventually(async () => (await partOf(limited.accountId)) > 0n, 30_000).toBe(true);
  link.cut();
  expect(await usual.chat()).toBe(200);
  expect(await usual.chat({ stream: true })).toBe(200);
  expect(await usual.post("messages", { messages, max_tokens: 20 })).toBe(200);
  expect(await usual.post("messages/count_tokens", { messages })).toBe(200);
  expect(await usual.post("responses", { input: "hi", max_output_tokens: 20, store: false })).toBe(200);
  expect(await usual.get("/v1/models")).toBe(200);
  expect(await usual.get("/readyz")).toBe(200);
  const statuses = [await limited.chat(), await limited.chat(), await limited.chat(), await limited.chat()];
  expect(statuses).toEqual([200, 200, 200, 429]);
  const refusals = await Promise.all([
    capped.chat(),
    usual.chat({}, { "idempotency-key": "once" }),
    usual.post("responses", { input: "hi", max_output_tokens: 20 }),
    usual.post("videos/generations", { model: video, prompt: "x" }),
    usual.get("/v1/videos/generations/task_00000000000000000000000000000000"),
    gateway.post(stranger, "chat/completions", { messages }).then(({ status }) => status),
  ]);
  expect(refusals).toEqual(refusals.map(() => 503));
  link.mend();
  await eventually(async () => (await sold(usual.accountId))?.calls, 60_000).toBe(4);
  await eventually(async () => (await sold(limited.accountId))?.calls, 60_000).toBe(3);
  // The database was back for a moment, in which nothing was read again.
  link.cut();
  expect(await usual.chat()).toBe(200);
  link.mend();
  await eventually(async () => (await sold(usual.accountId))?.calls, 60_000).toBe(5);
  const { amount, of_month } = (await sold(usual.accountId)) ?? {};
  expect(of_month).toBe(amount);
  await eventually(() => usual.chat({}, { "idempotency-key": "once" }), 60_000).toBe(200);
  await eventually(() => capped.chat(), 60_000).toBe(200);
});

test("an account is sold its allowance and no more, and pays for it once the database is back", async () => {
  const { customer } = await served();
  const usual = await customer();
  await eventually(async () => (await partOf(usual.accountId)) > 0n, 30_000).toBe(true);
  link.cut();
  let calls = 0;
  for (let status = await usual.chat(); status === 200; status = await usual.chat()) {
    calls++;
  }
  expect(calls).toBeGreaterThan(0);
  link.mend();
  await eventually(async () => (await sold(usual.accountId))?.calls, 60_000).toBe(calls);
  expect(BigInt((await sold(usual.accountId))?.amount ?? 0)).toBeLessThanOrEqual(10_000_000n);
  await eventually(() => usual.chat(), 60_000).toBe(200);
});

test("a database that only reads is away: the allowance pays, and a balancer keeps the server", async () => {
  const sql = sqlOf(ledger);
  const setReadOnly = async (isReadOnly: "on" | "off") => {
    // This session may have begun in between.
    await sql`set default_transaction_read_only = off`;
    await sql.unsafe(`do $$ begin execute format('alter database %I set default_transaction_read_only = ${isReadOnly}',
      current_database()); end $$`);
    await sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`;
  };
  const { customer } = await served();
  const limited = await customer({ requestsPerMinute: 3 });
  await eventually(async () => (await partOf(limited.accountId)) > 0n, 30_000).toBe(true);
  onTestFinished(() => setReadOnly("off"));
  await setReadOnly("on");
  const statuses = [await limited.chat(), await limited.chat(), await limited.chat(), await limited.chat()];
  expect(statuses).toEqual([200, 200, 200, 429]);
  // Longer than a lost connection alone counts as a database that is away.
  await sleep(1_500);
  expect(await limited.get("/readyz")).toBe(200);
  await setReadOnly("off");
  await eventually(async () => (await sold(limited.accountId))?.calls, 60_000).toBe(3);
});
