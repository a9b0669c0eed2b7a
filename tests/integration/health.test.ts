import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { createVault } from "@/server/base/vault";
import { openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { refuseWrongClock } from "@/server/runtime/clock-watch";
import { freshDatabase } from "@/tests/support/database";
import { linkTo } from "@/tests/support/database-link";
import { eventually } from "@/tests/support/eventually";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { startRedis } from "@/tests/support/redis";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const upstream = perFile(() => startUpstream(answerWith("hi")));
const link = perFile(async () => await linkTo(await freshDatabase()));
const redis = perFile(startRedis);
const gateway = perFile(() => startGateway({ databaseUrl: link.url, env: { REDIS_URL: redis.url } }));
const operator = perFile(async () => openDatabase(link.directUrl, { connections: 2 }));

let model = "";
beforeAll(async () => {
  model = await gateway.model();
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
});
afterEach(() => vi.useRealTimers());

async function readiness(): Promise<string> {
  const answer = await fetch(`${gateway.url}/readyz`);
  return `${answer.status} ${await answer.text()}`;
}
const SOON = 30_000;
const becomes = (words: RegExp) => eventually(readiness, SOON).toMatch(words);
const becomesReady = () => becomes(/^200 ready\n/);
const expectAlive = async () => expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
const call = async (secret: string) => {
  const answer = await gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] });
  await answer.text();
  return answer.status;
};
const month = 31 * 86_400_000;

test("readiness says of each thing that calls need whether it works", async () => {
  await becomesReady();
  const lines = (await readiness()).split("\n").slice(1, -1);
  const names = ["connections", "writes", "migrations", "secrets", "clock", "notices", "redis"];
  expect(lines).toEqual(names.map((name) => `${name}: ok`));
});

test("many readiness checks at once write to the database about once a second", async () => {
  await becomesReady();
  const writes = async () =>
    Number(
      (await sqlOf(operator)`select sum(points) as sum from rate_limits where key like 'readiness:%'`)[0]
        ?.sum,
    );
  const before = await writes();
  const since = performance.now();
  await Promise.all(Array.from({ length: 200 }, readiness));
  const looks = 2 + Math.ceil((performance.now() - since) / 1_000);
  expect((await writes()) - before).toBeLessThanOrEqual(looks);
});

test("a server without a free connection in money's pool fails its readiness within the deadline, until there is one", async () => {
  const sql = sqlOf(gateway.runtime.db);
  const queries = Promise.all(Array.from({ length: 4 }, () => sql`select pg_sleep(6)`));
  await becomes(/^503 not ready\n[\s\S]*connections: FAILED: no answer within 2000 ms: every connection/);
  await expectAlive();
  await queries;
  await becomesReady();
});

test("a server whose database is read-only is not ready", async () => {
  const sql = sqlOf(operator);
  const [{ name } = { name: "" }] = await sql<{ name: string }[]>`select current_database() as name`;
  const others = () => sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name = 'tollgate'`;
  await sql.unsafe(`alter database ${name} set default_transaction_read_only = on`);
  await others();
  await becomes(/^503 [\s\S]*writes: FAILED: the database takes no writes: it is read-only.*\(25006\)/);
  await expectAlive();
  await sql.begin(async (transaction) => {
    await transaction`set transaction read write`;
    await transaction.unsafe(`alter database ${name} reset default_transaction_read_only`);
  });
  await others().catch(() => {});
  await becomesReady();
});

test("a server is not ready when the disk is too full for a call's writes, though the smallest write succeeds", async () => {
  const { secret } = await gateway.customer();
  const sql = sqlOf(operator);
  await sql`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = '53100'; end $$`;
  await sql`create trigger full_disk before insert on holds execute function full_disk()`;
  expect(await call(secret)).toBe(503);
  await becomes(
    /^503 [\s\S]*writes: FAILED: the database refused to write what a call costs: its disk is full/,
  );
  await sql`drop function full_disk cascade`;
  expect(await call(secret)).toBe(200);
  await becomesReady();
});

test("a server with another ENCRYPTION_KEY than the database's is not ready", async () => {
  const sql = sqlOf(operator);
  const [kept] = await sql`select sealed from secret_checks where name = 'ENCRYPTION_KEY'`;
  const other = createVault("another-encryption-key-".repeat(2)).seal("tollgate");
  await sql`update secret_checks set sealed = ${other} where name = 'ENCRYPTION_KEY'`;
  await becomes(/^503 [\s\S]*secrets: FAILED: the database is used with another ENCRYPTION_KEY/);
  await sql`update secret_checks set sealed = ${kept?.sealed} where name = 'ENCRYPTION_KEY'`;
  await becomesReady();
});

test.each([
  { moved: month, words: "31 days ahead of" },
  { moved: -month, words: "31 days behind" },
])(
  "a server whose clock is $words the database's is not ready at once, and opens no month",
  async ({ moved, words }) => {
    const { secret, accountId } = await gateway.customer();
    expect(await call(secret)).toBe(200);
    const months = () => sqlOf(operator)`
    select distinct period from account_months where account_id = ${accountId}`;
    const before = await months();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + moved });
    expect(await call(secret)).toBe(503);
    await becomes(new RegExp(`^503 [\\s\\S]*clock: FAILED: this machine's clock is ${words}`));
    await expect(refuseWrongClock(operator)).rejects.toThrow(words);
    vi.useRealTimers();
    expect(await months()).toEqual(before);
    await becomesReady();
    expect(await call((await gateway.customer()).secret)).toBe(200);
  },
);

test("without Redis a server stays ready and reports it", async () => {
  redis.close();
  await becomes(/^200 ready\n[\s\S]*redis: degraded: it does not answer/);
});

test("a server whose database is unreachable or silent is not ready", async () => {
  link.cut();
  await becomes(/^503 [\s\S]*connections: FAILED/);
  await expectAlive();
  link.mend();
  await becomesReady();
  link.silence();
  await becomes(/^503 [\s\S]*connections: FAILED: no answer within 2000 ms/);
  link.cut();
  link.mend();
  await becomesReady();
});
