/** One kill in the middle of calls of every kind, and what the next server does with each of them. */
import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { inBackground, responsesOf } from "@/tests/support/background-calls";
import { FAULT_MODEL, startEmbeddedGateway } from "@/tests/support/embedded-gateway";
import { postTo } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";
import { answerWith, heldAnswer, startUpstream } from "@/tests/support/upstream";

const hello = answerWith("Hello there");
const upstream = perFile(() => startUpstream(hello));
const gateway = perFile(() => startEmbeddedGateway(upstream.baseUrl, { WEB_CONCURRENCY: "2" }));

/** A customer who sends the same call again to the server that runs now. */
async function customerOf(prompt: string, path: string, body: object) {
  const { secret, accountId } = await gateway.customer(prompt, "100");
  const headers = { "idempotency-key": "once" };
  const call = () => postTo(gateway.server().url)(secret, path, { model: FAULT_MODEL, ...body }, { headers });
  return {
    accountId,
    call,
    callCount: () => upstream.requests.filter(({ raw }) => raw.includes(prompt)).length,
  };
}

async function chatCustomer(stream: boolean) {
  const prompt = `chat, stream ${stream}`;
  const messages = [{ role: "user", content: prompt }];
  return { stream, ...(await customerOf(prompt, "chat/completions", { stream, messages })) };
}

async function killInTheMiddle() {
  const chats = [await chatCustomer(false), await chatCustomer(true)];
  const inLine = await customerOf("in line", "responses", { ...inBackground, input: "in line" });
  const { secret, accountId } = await gateway.customer("background", "100");
  const background = { accountId, call: responsesOf(gateway, secret) };

  const held = heldAnswer().answer;
  upstream.answer((call, ...rest) => (call.raw.includes("in line") ? hello : held)(call, ...rest));
  const cut = chats.map(({ call }) => expect(call().then((response) => response.text())).rejects.toThrow());
  await until(() => chats.every(({ callCount }) => callCount() === 1));
  const before = upstream.requests.length;
  const begun = await background.call("", inBackground);
  await until(() => upstream.requests.length === before + 1);
  await until(async () => (await background.call(`/${begun.id}`)).status === "in_progress");
  // The statement that stores an answer sleeps here.
  await gateway.withLedger(async ({ db }) => {
    await sqlOf(db)`create function stand_still() returns trigger language plpgsql as
      'begin if new.answer is not null then perform pg_sleep(5); end if; return new; end'`;
    await sqlOf(db)`create trigger stand_still before update on idempotent_calls
      for each row execute function stand_still()`;
  });
  const lost = inLine.call().catch(() => null);
  await until(() =>
    gateway.withLedger(async ({ db }) => {
      const sleeping = await sqlOf(db)`select 1 from pg_stat_activity where wait_event = 'PgSleep'`;
      return sleeping.length === 1;
    }),
  );
  const waiting = await background.call("", inBackground);
  await gateway.killServer();
  await Promise.all([...cut, lost]);

  upstream.answer(hello);
  await gateway.start();
  await gateway.withLedger(async ({ db }) => {
    await sqlOf(db)`drop trigger stand_still on idempotent_calls`;
  });
  const repeats = ({ call }: { call: () => Promise<Response> }) => Promise.all([call(), call(), call()]);
  const [answer, ...chatAnswers] = await Promise.all([inLine.call(), ...chats.map(repeats)]);
  return {
    chats: chats.map((chat, index) => ({ ...chat, answers: chatAnswers[index] ?? [] })),
    inLine: { ...inLine, answer },
    background: { ...background, begun, waiting },
  };
}
const killed = perFile(killInTheMiddle);

test.each([false, true])(
  "after a server was killed in the middle of a call its repeat runs once, and is all that is charged (stream: %s)",
  { timeout: 180_000 },
  async (stream) => {
    const { accountId, answers, callCount } = killed.chats[Number(stream)] ?? expect.fail("no such call");
    const texts = await Promise.all(answers.map((response) => response.text()));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(texts).size).toBe(1);
    expect(callCount()).toBe(2);
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

test("after a kill while a background response is queued and the answer to its call is not stored, the response is charged once", {
  timeout: 180_000,
}, async () => {
  const { accountId, answer, call } = killed.inLine;
  expect(answer.status).toBe(200);
  const again = await call();
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

test("after a kill during background responses none is charged twice, and none is lost", {
  timeout: 180_000,
}, async () => {
  const { accountId, begun, waiting, call } = killed.background;
  const ended = async ({ id }: { id: string }) => {
    await until(async () => !["queued", "in_progress"].includes((await call(`/${id}`)).status), 60_000);
    return (await call(`/${id}`)).status;
  };
  const statuses = [await ended(begun), await ended(waiting)];
  const completed = BigInt(statuses.filter((status) => status === "completed").length);
  await gateway.withLedger(async (ledger) => {
    await until(async () => (await ledger.allHolds()) === 0, 60_000);
    const [month] = await ledger.months([accountId]);
    // 10 tokens of the prompt and 5 of the answer, for each answer that can be read.
    expect([month?.used, month?.frozen]).toEqual([20_000n * completed, 0n]);
    expect(await ledger.verify()).toEqual([]);
  });
});
