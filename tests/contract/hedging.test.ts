import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import type { ChannelId } from "@/server/domain/ids";
import { eventually } from "@/tests/support/eventually";
import { gate } from "@/tests/support/gate";
import { startGateway } from "@/tests/support/gateway";
import { fakeUpstreams, perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";
import {
  answerWith,
  type FakeUpstream,
  heldAnswer,
  refuseWith,
  type UpstreamHandler,
} from "@/tests/support/upstream";
import { virtualTimers } from "@/tests/support/virtual-clock";

const timers = virtualTimers();
const gateway = perFile(() => startGateway({ timers, env: { UPSTREAM_TIMEOUT_SECONDS: "60" } }));
const start = fakeUpstreams();

const HEDGE_MS = 1_000;

/** An answer that waits for `release`, and the number of times that a gateway stopped waiting for it. */
function pausedAnswer(answer: UpstreamHandler) {
  let abandoned = 0;
  const { open: release, opened: released } = gate();
  const waitingAnswer: UpstreamHandler = async (call, response, request) => {
    response.on("close", () => (abandoned += response.writableFinished ? 0 : 1));
    await released;
    if (!response.destroyed) {
      await answer(call, response, request);
    }
  };
  return { answer: waitingAnswer, release, abandoned: () => abandoned };
}

const callsOf = (...upstreams: FakeUpstream[]) => upstreams.map(({ requests }) => requests.length);

/** A model whose channels are tried one after the other. */
async function serve(upstreams: FakeUpstream[], hedgeAfterMs: number | null = HEDGE_MS) {
  const model = await gateway.model({ hedgeAfterMs });
  const channels: ChannelId[] = [];
  for (const [place, { baseUrl }] of upstreams.entries()) {
    channels.push(await gateway.channel({ model, baseUrl, priority: -place }));
  }
  return { model, channels };
}

const ask = (secret: string, body: { model: string } & Record<string, unknown>, init?: RequestInit) =>
  gateway.chat(secret, { stream: true, messages: [{ role: "user", content: "hi" }], ...body }, init);

/** The only charge of an account with one call. Checks that the ledger adds up. */
async function onlyEntry(accountId: Parameters<typeof gateway.entries>[0]) {
  await until(async () => (await gateway.balance(accountId)).frozen === 0n);
  expect(await gateway.verify()).toEqual([]);
  const entries = await gateway.entries(accountId);
  expect(entries.length).toBe(1);
  return entries[0];
}

/** Expects that the first channel was abandoned and the second one answered. */
const expectAbandoned = (model: string, [first, second]: ChannelId[]) => {
  const outcomes = async () => {
    const rows = await sqlOf(gateway.runtime.db)`
      select channel_id, outcome from call_attempts where model_id = ${model} order by began_at`;
    return rows.map((row) => [row.channel_id, row.outcome]);
  };
  return eventually(outcomes, 5_000).toEqual([
    [first, "abandoned"],
    [second, "ok"],
  ]);
};

test("if the first channel is silent the next one answers, and the client pays once, for that one", async () => {
  const silent = pausedAnswer(answerWith("first"));
  const [first, second] = [await start(silent.answer), await start(answerWith("second"))];
  const { model, channels } = await serve([first, second]);
  const { secret, accountId } = await gateway.customer();
  const call = ask(secret, { model });
  await eventually(() => callsOf(first, second)).toEqual([1, 0]);
  timers.advance(HEDGE_MS - 1);
  expect(callsOf(first, second)).toEqual([1, 0]);
  timers.advance(1);
  const text = await (await call).text();
  expect(text).toContain("second");
  expect(text).not.toContain("first");
  await until(() => silent.abandoned() === 1);
  expect(await onlyEntry(accountId)).toMatchObject({ kind: "capture", channelId: channels[1] });
  await expectAbandoned(model, channels);
});

test("a second channel that fails makes way for a third, and the first is still awaited", async () => {
  const slow = pausedAnswer(answerWith("first"));
  const fakes = [await start(slow.answer), await start(refuseWith(503)), await start(refuseWith(503))];
  const { model } = await serve(fakes);
  const { secret, accountId } = await gateway.customer();
  const call = ask(secret, { model });
  await eventually(() => callsOf(...fakes)).toEqual([1, 0, 0]);
  timers.advance(HEDGE_MS);
  await eventually(() => callsOf(...fakes)).toEqual([1, 1, 1]);
  slow.release();
  expect(await (await call).text()).toContain("first");
  expect(callsOf(...fakes)).toEqual([1, 1, 1]);
  expect(await onlyEntry(accountId)).toMatchObject({ kind: "capture" });
});

test("if neither of two channels answers the call is a 502 that costs nothing, and each was asked once", async () => {
  const silent = pausedAnswer(answerWith("first"));
  const fakes = [await start(silent.answer), await start(refuseWith(500))];
  const { model } = await serve(fakes);
  const { secret, accountId } = await gateway.customer();
  const call = ask(secret, { model });
  await until(() => String(callsOf(...fakes)) === String([1, 0]));
  timers.advance(HEDGE_MS);
  await until(() => String(callsOf(...fakes)) === String([1, 1]));
  // Up to the deadline of the first call.
  expect((await timers.passUntil(call, 1_000)).status).toBe(502);
  expect(callsOf(...fakes)).toEqual([1, 1]);
  expect(await onlyEntry(accountId)).toMatchObject({ kind: "release" });
});

test("whole answers, calls with searches and models without hedging are never asked for twice", async () => {
  const held = pausedAnswer(answerWith("first"));
  const [slow, second] = [await start(held.answer), await start(answerWith("second"))];
  const { model } = await serve([slow, second]);
  const { model: patient } = await serve([slow, second], null);
  const { secret } = await gateway.customer();
  const calls = Promise.all([
    ask(secret, { model, stream: false }),
    ask(secret, { model, web_search_options: {} }),
    ask(secret, { model: patient }),
  ]);
  await eventually(() => callsOf(slow)).toEqual([3]);
  timers.advance(2 * HEDGE_MS);
  held.release();
  for (const answer of await calls) {
    expect(await answer.text()).toContain("first");
  }
  expect(second.requests.length).toBe(0);
});

test("the answer that began first completes, however long after the other one was aborted", async () => {
  const { answer, goOn } = heldAnswer();
  const silent = pausedAnswer(answerWith("first"));
  const fakes = [await start(silent.answer), await start(answer)];
  const { model, channels } = await serve(fakes);
  const { secret, accountId } = await gateway.customer();
  const call = ask(secret, { model });
  await eventually(() => callsOf(...fakes)).toEqual([1, 0]);
  timers.advance(HEDGE_MS);
  const response = await call;
  await until(() => silent.abandoned() === 1);
  goOn();
  expect(await response.text()).toContain("two");
  expect(await onlyEntry(accountId)).toMatchObject({ kind: "capture", channelId: channels[1] });
  await expectAbandoned(model, channels);
});
