import { describe, expect, test } from "vitest";
import { deleteKey, setKeyStatus, updateKey } from "@/server/access";
import { nanos } from "@/server/base/money";
import { backgroundRoom } from "@/tests/support/background-room";
import { eventually } from "@/tests/support/eventually";
import { answerWith, heldAnswer } from "@/tests/support/upstream";

/** One response at a time: a second one waits in the queue while the test changes something. */
const { gateway, upstream, model, sql, newCustomer } = backgroundRoom(1);

/** A response whose upstream has begun to answer, and ends it after `goOn`. */
async function begunResponse() {
  const { answer, goOn } = heldAnswer();
  upstream.answer(answer);
  const customer = await newCustomer();
  const id = await customer.begin();
  await customer.untilBegun();
  upstream.answer(answerWith("Hello there"));
  return { ...customer, id, goOn };
}

async function queuedResponse() {
  const { goOn } = await begunResponse();
  const customer = await newCustomer();
  return { ...customer, id: await customer.begin(), goOn };
}

test("a waiting response keeps its price when the model's price changes", async () => {
  const { id, goOn, until, money } = await queuedResponse();
  await gateway.model({ id: model, inputPrice: nanos(7_000_000_000n), outputPrice: nanos(9_000_000_000n) });
  goOn();
  await until(id, "completed");
  await gateway.model({ id: model });
  expect(await money()).toEqual([20_000n, 0n]);
});

test.each([
  { grown: "is shortened to what the money pays", named: {}, status: "completed", used: 20_000n },
  { grown: "fails without an upstream call", named: { max_output_tokens: 20 }, status: "failed", used: 0n },
])("a response whose conversation outgrew its frozen money $grown", async ({ named, status, used }) => {
  const { goOn } = await begunResponse();
  const customer = await newCustomer();
  const post = async (path: string, body: object) => {
    const headers = { "x-api-key": customer.secret, "content-type": "application/json" };
    const answer = await fetch(`${gateway.url}/v1/${path}`, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    return (await answer.json()) as { id: string };
  };
  const { id: conversation } = await post("conversations", {});
  const { body } = await customer.submit({ conversation, ...named });
  const frozen = (await customer.money())[1] ?? 0n;
  const items = [{ role: "user", content: "word ".repeat(300) }];
  await post(`conversations/${conversation}/items`, { items });
  const countBefore = upstream.requests.length;
  goOn();
  const ended = await customer.until(body.id, "completed", "failed");
  expect([ended.status, ended.error?.code ?? null]).toEqual([status, used ? null : "invalid_parameters"]);
  expect(await customer.money()).toEqual([used, 0n]);
  const limits = upstream.requests
    .slice(countBefore)
    .map(({ body: { max_tokens } }) => BigInt(Number(max_tokens)));
  expect(limits).toHaveLength(used ? 1 : 0);
  for (const limit of limits) {
    expect(limit * 2_000n + 300n * 1_000n <= frozen).toBe(true);
  }
});

describe("a queued response fails without an upstream call if its caller has", () => {
  type QueuedCall = Awaited<ReturnType<typeof queuedResponse>>;
  type Bar = {
    code: string;
    set: (call: QueuedCall) => Promise<unknown>;
    lift: (call: QueuedCall) => Promise<unknown>;
  };
  const db = () => gateway.runtime.db;
  const bars: [string, Bar][] = [
    [
      "a disabled key",
      {
        code: "key_disabled",
        set: ({ keyId }) => setKeyStatus(db(), { keyId, status: "disabled" }),
        lift: ({ keyId }) => setKeyStatus(db(), { keyId, status: "active" }),
      },
    ],
    [
      "a key that may use other models only",
      {
        code: "model_not_found",
        set: ({ keyId }) => updateKey(db(), { keyId, models: ["another"] }),
        lift: ({ keyId }) => updateKey(db(), { keyId, models: [] }),
      },
    ],
  ];
  test.each(bars)("%s", async (_name, { code, set, lift }) => {
    const waiting = await queuedResponse();
    await set(waiting);
    const countBefore = upstream.requests.length;
    waiting.goOn();
    await eventually(async () => (await waiting.money())[1], 30_000).toBe(0n);
    await lift(waiting);
    gateway.runtime.access.forget();
    const failed = await waiting.until(waiting.id, "failed");
    expect(failed.error?.code).toBe(code);
    expect(await waiting.money()).toEqual([0n, 0n]);
    expect(upstream.requests.length).toBe(countBefore);
  });

  test("a deleted key", async () => {
    const { keyId, goOn, money } = await queuedResponse();
    await deleteKey(gateway.runtime.db, { keyId });
    const countBefore = upstream.requests.length;
    goOn();
    await eventually(money, 30_000).toEqual([0n, 0n]);
    expect(upstream.requests.length).toBe(countBefore);
  });
});

test("concurrent submissions are admitted up to the account's limit of queued responses", async () => {
  const { accountId, keyId, submit, until } = await newCustomer();
  await sql()`
    insert into background_responses (account_id, hash, key_id, request_id, model_id, period, amount, payload, run_id,
      lease_until, created_at)
    select ${accountId}, 'h' || n, ${keyId}, 'r' || n, ${model}, '2026-01', 0, 'x', 'elsewhere',
      now() + interval '1 hour', now()
    from generate_series(1, 98) n`;
  const answers = await Promise.all(Array.from({ length: 8 }, () => submit()));
  const statuses = answers.map(({ status }) => status);
  await sql()`delete from background_responses where account_id = ${accountId} and run_id = 'elsewhere'`;
  expect(statuses.sort()).toEqual([200, 200, ...Array.from({ length: 6 }, () => 429)]);
  for (const { body } of answers.filter(({ status }) => status === 200)) {
    await until(body.id, "completed");
  }
});

test("a running response is neither swept when it expires nor evicted by later responses of its account", async () => {
  const { id, goOn, ...customer } = await begunResponse();
  await sql()`
    update stored_responses set expires_at = now() - interval '1 day' where account_id = ${customer.accountId}`;
  await gateway.runtime.responses.sweep();
  await sql()`
    update stored_responses set expires_at = now() + interval '1 day' where account_id = ${customer.accountId}`;
  for (let turn = 0; turn < 3; turn++) {
    await customer.submit({ background: false, input: "x".repeat(700_000) });
  }
  goOn();
  await customer.until(id, "completed");
  expect((await customer.money())[1]).toBe(0n);
});

test("responses that an account makes in the background alone stay within its storage limit, too", async () => {
  const customer = await newCustomer();
  for (let turn = 0; turn < 3; turn++) {
    const { body } = await customer.submit({ input: "x".repeat(700_000) });
    await customer.until(body.id, "completed");
  }
  const kept = async () =>
    (await sql()`select 1 from stored_responses where account_id = ${customer.accountId}`).length;
  await eventually(kept, 30_000).toBe(1);
});

test("a cancelled response stays cancelled and returns its money when its process dies", async () => {
  const { id, goOn, ...customer } = await begunResponse();
  await sql()`
    update background_responses set run_id = 'dead', lease_until = now() + interval '1 hour'
    where account_id = ${customer.accountId}`;
  const { body } = await customer.call(`/${id}/cancel`, { method: "POST", body: "{}" });
  expect(body.status).toBe("cancelled");
  expect((await customer.money())[1]).toBeGreaterThan(0n);
  await sql()`
    update background_responses set lease_until = now() - interval '1 second'
    where account_id = ${customer.accountId}`;
  await eventually(customer.money, 30_000).toEqual([0n, 0n]);
  goOn();
  expect((await customer.call(`/${id}`)).body.status).toBe("cancelled");
  expect(await gateway.verify()).toEqual([]);
});
