import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { FAULT_MODEL, startEmbeddedGateway } from "@/tests/support/embedded-gateway";
import { postTo } from "@/tests/support/gateway";
import { messages, perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";
import { answerWith, heldAnswer, startUpstream } from "@/tests/support/upstream";

const upstream = perFile(() => startUpstream(answerWith("Hello there")));
const gateway = perFile(() => startEmbeddedGateway(upstream.baseUrl, { WEB_CONCURRENCY: "2" }));

/** Asks the server that runs now: of one customer always the same call. */
const post = (secret: string, path: string, body: object) => {
  const headers = { "idempotency-key": "once" };
  return postTo(gateway.server().url)(secret, path, { model: FAULT_MODEL, ...body }, { headers });
};

test.each([false, true])(
  "a server is killed in the middle of a call: its repeat runs once, and is all that is charged (stream: %s)",
  { timeout: 180_000 },
  async (stream) => {
    const { secret, accountId } = await gateway.customer(`once-${stream}`, "100");
    const call = () => post(secret, "chat/completions", { stream, messages });
    upstream.answer(heldAnswer().answer);
    const asked = upstream.asked.length;
    const first = call().then((response) => response.text());
    const cut = expect(first).rejects.toThrow();
    await until(() => upstream.asked.length === asked + 1);
    await gateway.killServer();
    await cut;
    upstream.answer(answerWith("Hello there"));
    await gateway.start();
    const answers = await Promise.all([call(), call(), call()]);
    const texts = await Promise.all(answers.map((response) => response.text()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(texts).size).toBe(1);
    expect(upstream.asked.length).toBe(asked + 2);
    await gateway.withLedger(async (ledger) => {
      await until(async () => (await ledger.allHolds()) === 0, 60_000);
      const ids = answers.flatMap(({ headers }) => headers.get("x-request-id") ?? []);
      const entries = await ledger.entriesOfAll(ids);
      expect(entries.map(({ kind }) => kind)).toEqual(["capture"]);
      const [month] = await ledger.months([accountId]);
      // 10 tokens of the prompt and 5 of the answer.
      expect([month?.used, month?.frozen]).toEqual([20_000n, 0n]);
      expect(await ledger.verify()).toEqual([]);
    });
  },
);

test("a server is killed where a response in the background is in line and its answer not kept: it is bought once", {
  timeout: 180_000,
}, async () => {
  upstream.answer(answerWith("Hello there"));
  const { secret, accountId } = await gateway.customer("in line", "100");
  const submit = () => post(secret, "responses", { input: "hi", background: true });
  // Whatever keeps an answer stands still there.
  await gateway.withLedger(async ({ db }) => {
    await sqlOf(db)`create function stand_still() returns trigger language plpgsql as
      'begin if new.answer is not null then perform pg_sleep(5); end if; return new; end'`;
    await sqlOf(db)`create trigger stand_still before update on idempotent_calls
      for each row execute function stand_still()`;
  });
  const lost = submit().catch(() => null);
  await until(() =>
    gateway.withLedger(async ({ db }) => {
      const sleeping = await sqlOf(db)`select 1 from pg_stat_activity where wait_event = 'PgSleep'`;
      return sleeping.length === 1;
    }),
  );
  await gateway.killServer();
  await lost;
  await gateway.start();
  await gateway.withLedger(async ({ db }) => {
    await sqlOf(db)`drop trigger stand_still on idempotent_calls`;
  });
  const answer = await submit();
  expect(answer.status).toBe(200);
  const again = await submit();
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(((await again.json()) as { id: string }).id).toBe(((await answer.json()) as { id: string }).id);
  await gateway.withLedger(async (ledger) => {
    await until(async () => (await ledger.months([accountId]))[0]?.used === 20_000n, 60_000);
    await until(async () => (await ledger.allHolds()) === 0, 60_000);
    const kinds = await sqlOf(ledger.db)`
      select kind from ledger_entries where account_id = ${accountId} and kind in ('capture', 'release')`;
    expect(kinds).toHaveLength(1);
    expect(await ledger.verify()).toEqual([]);
  });
});
