import { once } from "node:events";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { FAULT_MODEL, startEmbeddedGateway } from "@/tests/support/embedded-gateway";
import { pause } from "@/tests/support/faults";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";
import { answerWith, heldAnswer, startUpstream } from "@/tests/support/upstream";

const upstream = perFile(() => startUpstream(answerWith("Hello there")));
const gateway = perFile(() => startEmbeddedGateway(upstream.baseUrl, { WEB_CONCURRENCY: "2" }));

/** Asks the server that runs now for a response: for a new one, or for one that it has. */
const callerOf = (secret: string) => async (path: string, body?: object) => {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const init = body ? { method: "POST", body: JSON.stringify(body) } : {};
  const answer = await fetch(`${gateway.server().url}/v1/responses${path}`, { headers, ...init });
  return (await answer.json()) as { id: string; status: string };
};
const asked = { model: FAULT_MODEL, input: "hi", background: true };

test("a server that is told to end finishes the response that it makes", { timeout: 180_000 }, async () => {
  const { secret } = await gateway.customer("ending", "100");
  const call = callerOf(secret);
  const { answer, goOn } = heldAnswer();
  upstream.answer(answer);
  const { id } = await call("", asked);
  await until(async () => (await call(`/${id}`)).status === "in_progress");
  const { child } = gateway.server();
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await pause(3_000);
  expect(child.exitCode).toBeNull();
  goOn();
  expect(await ended).toEqual([0, null]);
  upstream.answer(answerWith("Hello there"));
  await gateway.start();
  expect((await call(`/${id}`)).status).toBe("completed");
});

test("a server that is told to end in the middle of a claim makes what it has claimed", {
  timeout: 180_000,
}, async () => {
  const { secret } = await gateway.customer("claiming", "100");
  const call = callerOf(secret);
  let id = "";
  await gateway.withLedger(async ({ db }) => {
    const orm = ormOf(db);
    await orm.execute(sql`create function hold_claim() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(4711); return new; end'`);
    await orm.execute(sql`create trigger hold_claim before update on background_responses
      for each row execute function hold_claim()`);
    await transaction(db, async (tx) => {
      await ormOf(tx).execute(sql`select pg_advisory_xact_lock(4711)`);
      ({ id } = await call("", asked));
      const waiting = sql`select from pg_locks where locktype = 'advisory' and not granted`;
      await until(async () => (await orm.execute(waiting)).length > 0);
      gateway.server().child.kill("SIGTERM");
      await pause(2_000);
    });
  });
  await once(gateway.server().child, "exit");
  await gateway.start();
  await gateway.withLedger(({ db }) => ormOf(db).execute(sql`drop function hold_claim cascade`));
  expect((await call(`/${id}`)).status).toBe("completed");
});

test("a server is killed while it makes responses in the background: none is charged twice, and none is lost", {
  timeout: 180_000,
}, async () => {
  const { secret, accountId } = await gateway.customer("background", "100");
  const call = callerOf(secret);
  upstream.answer(heldAnswer().answer);
  const before = upstream.asked.length;
  const begun = await call("", asked);
  await until(() => upstream.asked.length === before + 1);
  await until(async () => (await call(`/${begun.id}`)).status === "in_progress");
  const waiting = await call("", asked);
  await gateway.killServer();
  upstream.answer(answerWith("Hello there"));
  await gateway.start();
  const ended = async ({ id }: { id: string }) => {
    await until(async () => !["queued", "in_progress"].includes((await call(`/${id}`)).status), 60_000);
    return (await call(`/${id}`)).status;
  };
  const statuses = [await ended(begun), await ended(waiting)];
  const completed = BigInt(statuses.filter((status) => status === "completed").length);
  await gateway.withLedger(async (ledger) => {
    await until(async () => (await ledger.allHolds()) === 0, 60_000);
    const [month] = await ledger.months([accountId]);
    // 10 tokens of the prompt and 5 of the answer, of each that can be read.
    expect([month?.used, month?.frozen]).toEqual([20_000n * completed, 0n]);
    expect(await ledger.verify()).toEqual([]);
  });
});
