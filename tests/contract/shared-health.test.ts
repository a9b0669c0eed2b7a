import { expect, test } from "vitest";
import { setChannelEnabled } from "@/server/channels";
import { sqlOf } from "@/server/db/handles";
import type { ChannelId } from "@/server/domain/ids";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { fakeUpstreams, messages, perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { until } from "@/tests/support/until";
import { answerWith, refuseWith, type UpstreamHandler } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const replica = perFile(() => startGateway({ databaseUrl: gateway.databaseUrl }));
const startUpstream = fakeUpstreams();

/** A channel that alone serves its model. */
async function stage(answer: UpstreamHandler, secrets = ["sk-upstream-secret-9876"]) {
  const upstream = await startUpstream(answer);
  const model = await gateway.model({ maxOutputTokens: 10 });
  const channelId = await gateway.channel({ model, baseUrl: upstream.baseUrl, secrets });
  const call = async (at: TestGateway, options = {}) => {
    const { secret } = await gateway.customer();
    const response = await at.chat(secret, { model, messages, ...options });
    await response.text();
    return response.status;
  };
  const attempts = () => sqlOf(gateway.runtime.db)`select from call_attempts where channel_id = ${channelId}`;
  const isRecorded = (count: number) => until(async () => (await attempts()).length >= count);
  return { upstream, model, channelId, call, isRecorded };
}

const standingOf = async ({ runtime }: TestGateway, channelId: ChannelId) =>
  (await runtime.channels.states()).find((standing) => standing.channelId === channelId);

const stateAt = async (at: TestGateway, channelId: ChannelId) => (await standingOf(at, channelId))?.state;

/** The state of the channel on a server that has just started. */
async function afterRestart(channelId: ChannelId) {
  const restarted = await startGateway({ databaseUrl: gateway.databaseUrl });
  try {
    return await standingOf(restarted, channelId);
  } finally {
    await restarted.close();
  }
}

test("faults that replicas meet together open the breaker of each, and of one that starts later", async () => {
  const { channelId, call, isRecorded } = await stage(refuseWith(503, "under repair"));
  await call(gateway);
  await call(replica);
  await until(async () => (await standingOf(gateway, channelId))?.seen[0]?.attempts === 6);
  await isRecorded(6);
  // A repeat is part of the same call: two of six attempts have been counted.
  expect(await stateAt(gateway, channelId)).toBe("faulty");
  for (const at of [replica, gateway, replica]) {
    await call(at);
  }
  for (const at of [gateway, replica]) {
    await until(async () => (await stateAt(at, channelId)) === "open");
    const fault = { status: 503, message: "503 under repair" };
    expect((await standingOf(at, channelId))?.fault).toMatchObject(fault);
  }
  await isRecorded(15);
  expect(await afterRestart(channelId)).toMatchObject({
    state: "open",
    fault: { reason: "refused", status: 503 },
    seen: [{ operation: "chat", attempts: 15, oks: 0, lastOkAt: null }],
  });
});

test("a restart remembers successes, of streams too, until the channel is changed", async () => {
  const { channelId, call, isRecorded } = await stage(answerWith("ok"));
  expect(await call(gateway)).toBe(200);
  expect(await call(replica, { stream: true })).toBe(200);
  await isRecorded(2);
  for (const standing of [await standingOf(replica, channelId), await afterRestart(channelId)]) {
    expect(standing).toMatchObject({
      state: "well",
      fault: null,
      seen: [{ operation: "chat", state: "closed", attempts: 2, oks: 2, lastOkAt: expect.any(Date) }],
    });
  }
  await setChannelEnabled(gateway.runtime.db, { channelId, isEnabled: false });
  await setChannelEnabled(gateway.runtime.db, { channelId, isEnabled: true });
  expect(await afterRestart(channelId)).toMatchObject({ state: "unused", seen: [] });
});
