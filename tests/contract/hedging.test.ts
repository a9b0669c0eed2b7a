import { expect, test } from "vitest";
import type { ChannelId } from "@/server/base/ids";
import { sqlOf } from "@/server/db/handles";
import { startGateway } from "@/tests/support/gateway";
import { fakeUpstreams, perFile } from "@/tests/support/per-file";
import { type Answer, answerWith, type FakeUpstream, heldAnswer, refuseWith } from "@/tests/support/upstream";

const gateway = perFile(() => startGateway({ env: { UPSTREAM_TIMEOUT_SECONDS: "2" } }));
const start = fakeUpstreams();

const HEDGE_MS = 150;

/** An answer that begins so late, and how often nobody waited for it. */
function late(afterMs: number, answer: Answer) {
  let given = 0;
  const told: Answer = async (asked, response, request) => {
    response.on("close", () => {
      given += response.writableFinished ? 0 : 1;
    });
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    if (!response.destroyed) {
      await answer(asked, response, request);
    }
  };
  return { answer: told, givenUp: () => given };
}

/** A model whose channels are asked one after the other. */
async function serve(upstreams: FakeUpstream[], hedgeAfterMs: number | null = HEDGE_MS) {
  const model = await gateway.model({ hedgeAfterMs });
  const channels: ChannelId[] = [];
  for (const [place, { baseUrl }] of upstreams.entries()) {
    channels.push(await gateway.channel({ model, baseUrl, priority: -place }));
  }
  return { model, channels };
}

const ask = (secret: string, asked: { model: string } & Record<string, unknown>, init?: RequestInit) =>
  gateway.chat(secret, { stream: true, messages: [{ role: "user", content: "hi" }], ...asked }, init);

/** The one charge of an account's only call, and a ledger that adds up. */
async function onlyEntry(accountId: Parameters<typeof gateway.entries>[0]) {
  await expect.poll(async () => (await gateway.balance(accountId)).frozen).toBe(0n);
  expect(await gateway.verify()).toEqual([]);
  const entries = await gateway.entries(accountId);
  expect(entries.length).toBe(1);
  return entries[0];
}

const outcomesOf = async (model: string) =>
  (
    await sqlOf(gateway.runtime.db)`
    select channel_id, outcome from call_attempts where model_id = ${model} order by began_at`
  ).map((row) => [row.channel_id, row.outcome]);

test("where the first channel is silent the next one answers; the client pays once, for that one", async () => {
  const silent = late(60_000, answerWith("first"));
  const [first, second] = [await start(silent.answer), await start(answerWith("second"))];
  const { model, channels } = await serve([first, second]);
  const { secret, accountId } = await gateway.customer();
  const began = performance.now();
  const text = await (await ask(secret, { model })).text();
  expect(text).toContain("second");
  expect(text).not.toContain("first");
  const took = performance.now() - began;
  expect(took).toBeGreaterThan(HEDGE_MS - 10);
  expect(took).toBeLessThan(1_900);
  await expect.poll(silent.givenUp).toBe(1);
  expect(await onlyEntry(accountId)).toMatchObject({ kind: "capture", channelId: channels[1] });
  await expect
    .poll(() => outcomesOf(model), { timeout: 5_000 })
    .toEqual([
      [channels[0], "abandoned"],
      [channels[1], "ok"],
    ]);
});

test("a first channel that begins in time is alone", async () => {
  const [first, second] = [await start(answerWith("first")), await start(answerWith("second"))];
  const { model } = await serve([first, second]);
  const { secret } = await gateway.customer();
  expect(await (await ask(secret, { model })).text()).toContain("first");
  expect(second.asked.length).toBe(0);
});

test("a first channel that begins before the second is taken, and the second is ended", async () => {
  const slower = late(60_000, answerWith("second"));
  const [first, second] = [
    await start(late(2 * HEDGE_MS, answerWith("first")).answer),
    await start(slower.answer),
  ];
  const { model, channels } = await serve([first, second]);
  const { secret, accountId } = await gateway.customer();
  expect(await (await ask(secret, { model })).text()).toContain("first");
  expect(second.asked.length).toBe(1);
  await expect.poll(slower.givenUp).toBe(1);
  expect(await onlyEntry(accountId)).toMatchObject({ kind: "capture", channelId: channels[0] });
});

test("a second channel that fails leaves its place to a third, and the first is waited for", async () => {
  const [first, second, third] = [
    await start(late(3 * HEDGE_MS, answerWith("first")).answer),
    await start(refuseWith(503)),
    await start(refuseWith(503)),
  ];
  const { model } = await serve([first, second, third]);
  const { secret, accountId } = await gateway.customer();
  expect(await (await ask(secret, { model })).text()).toContain("first");
  expect([second.asked.length, third.asked.length]).toEqual([1, 1]);
  expect(await onlyEntry(accountId)).toMatchObject({ kind: "capture" });
});

test("where nobody begins it is a 502 that costs nothing, and each was asked once", async () => {
  const fakes = [await start(late(60_000, answerWith("a")).answer), await start(refuseWith(500))];
  const { model } = await serve(fakes);
  const { secret, accountId } = await gateway.customer();
  const response = await ask(secret, { model });
  expect(response.status).toBe(502);
  expect(fakes.map(({ asked }) => asked.length)).toEqual([1, 1]);
  expect(await onlyEntry(accountId)).toMatchObject({ kind: "release" });
});

test("a client that goes ends both, and pays nothing", async () => {
  const both = [late(60_000, answerWith("a")), late(60_000, answerWith("b"))];
  const fakes = await Promise.all(both.map(({ answer }) => start(answer)));
  const { model } = await serve(fakes);
  const { secret, accountId } = await gateway.customer();
  const gone = new AbortController();
  const asked = ask(secret, { model }, { signal: gone.signal }).catch(() => {});
  await expect.poll(() => fakes.map(({ asked: calls }) => calls.length)).toEqual([1, 1]);
  gone.abort();
  await asked;
  await expect.poll(() => both.map(({ givenUp }) => givenUp())).toEqual([1, 1]);
  expect(await onlyEntry(accountId)).toMatchObject({ kind: "release" });
});

test("whole answers, calls with searches and models that want none are never asked for twice", async () => {
  const slow = await start(late(2 * HEDGE_MS, answerWith("first")).answer);
  const second = await start(answerWith("second"));
  const { model } = await serve([slow, second]);
  const { model: patient } = await serve([slow, second], null);
  const { secret } = await gateway.customer();
  const answers = await Promise.all([
    ask(secret, { model, stream: false }),
    ask(secret, { model, web_search_options: {} }),
    ask(secret, { model: patient }),
  ]);
  for (const answer of answers) {
    expect(await answer.text()).toContain("first");
  }
  expect(second.asked.length).toBe(0);
});

test("the answer that was first comes to its end, however long after the other one was ended", async () => {
  const { answer, goOn } = heldAnswer();
  const silent = late(60_000, answerWith("first"));
  const { model, channels } = await serve([await start(silent.answer), await start(answer)]);
  const { secret, accountId } = await gateway.customer();
  const response = await ask(secret, { model });
  await expect.poll(silent.givenUp).toBe(1);
  goOn();
  expect(await response.text()).toContain("two");
  expect(await onlyEntry(accountId)).toMatchObject({ kind: "capture", channelId: channels[1] });
  await expect
    .poll(() => outcomesOf(model), { timeout: 5_000 })
    .toEqual([
      [channels[0], "abandoned"],
      [channels[1], "ok"],
    ]);
});
