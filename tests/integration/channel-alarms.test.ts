import { expect, test } from "vitest";
import { newestAttempts } from "@/server/calls";
import { createChannels } from "@/server/channels";
import { sqlOf } from "@/server/db/handles";
import { lowestId } from "@/server/domain/ids";
import { announceChannels, failingSince } from "@/server/notifications/channels";
import { branded } from "@/tests/support/branded";
import { callerFor } from "@/tests/support/console";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";
import { answerWith, refuseWith, startUpstream } from "@/tests/support/upstream";
import { startReceiver, verified } from "@/tests/support/webhook-receiver";

const gateway = perFile(() => startGateway({ env: { WEBHOOKS_ALLOW_PRIVATE: "true" } }));
const upstream = perFile(() => startUpstream(refuseWith(500)));
const receiver = perFile(startReceiver);

const messages = [{ role: "user", content: "hi" }];

const attemptsOf = async (channelId: string) => {
  const [row] = await sqlOf(gateway.runtime.db)<{ count: number }[]>`
    select count(*)::int as count from call_attempts where channel_id = ${channelId}`;
  return row?.count ?? 0;
};

/** The channels of a replica that starts now, which has read the recorded attempts. */
async function startedNow() {
  const { db, vault, upstreams, log } = gateway.runtime;
  const channels = createChannels({ db, vault, upstreams, log, timeoutMs: 5_000 });
  channels.restoreHealth(await newestAttempts(db, new Date(Date.now() - 3_600_000)));
  return channels;
}

/** The replica that has served the calls looks, and at once four replicas that have just started. */
async function look(now = new Date()) {
  const { db, channels } = gateway.runtime;
  const started = await Promise.all(Array.from({ length: 4 }, startedNow));
  await Promise.all([channels, ...started].map((room) => announceChannels({ db, channels: room }, now)));
}

test("operators are notified once when a channel fails and once when it recovers, and owners cannot subscribe to either", async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  const model = await gateway.model({ maxOutputTokens: 10 });
  const channelId = await gateway.channel({ model, name: "shaky", baseUrl: upstream.baseUrl });
  const { accountId, secret } = await gateway.customer();
  const other = await gateway.customer();
  const events = ["channel.failing", "channel.recovered"] as const;
  const owner = await callerFor(gateway, { role: "owner", accountId });
  await expect(owner.webhooks.create({ url: receiver.url, events: [...events] })).rejects.toThrow(
    /channel\.failing, channel\.recovered/,
  );
  const webhook = await operator.installationWebhooks.create({ url: receiver.url, events: [...events] });

  // A call makes three attempts on its only channel.
  const fail = async (whose: string) =>
    expect((await gateway.chat(whose, { model, messages })).status).toBeGreaterThanOrEqual(500);
  await fail(secret);
  // The client's own fault does not count for the channel.
  expect((await gateway.chat(secret, { model, messages: [] })).status).toBe(400);
  await until(async () => (await attemptsOf(channelId)) === 3);
  await look();
  await fail(other.secret);
  await until(async () => (await attemptsOf(channelId)) >= 5);
  await look();
  await look();
  await until(() => receiver.received.length > 0);
  const ailing = async () =>
    (await operator.overview.attention()).channels.find((channel) => channel.channelId === channelId);
  expect((await ailing())?.failingSince).not.toBeNull();
  // A replica that has started since knows it from the recorded attempts.
  const replica = await startGateway({ databaseUrl: gateway.databaseUrl });
  const elsewhere = await callerFor(replica, { role: "operator" });
  const { channels } = await elsewhere.overview.attention();
  expect(channels).toMatchObject([
    { channelId, state: "faulty", failingSince: (await ailing())?.failingSince },
  ]);
  await replica.close();

  upstream.answer(answerWith("ok"));
  const call = async () => (await gateway.chat(secret, { model, messages })).status === 200;
  await until(call, 20_000);
  for (let oks = 1; oks < 60; oks++) {
    expect(await call()).toBe(true);
  }
  await until(async () => (await attemptsOf(channelId)) >= 65);
  await look();
  await look();
  expect((await ailing())?.failingSince).not.toBeNull();
  // As if the channel had worked for two minutes.
  await sqlOf(gateway.runtime.db)`update channel_alarms set well_since = well_since - interval '2 minutes'`;
  await look();
  await until(() => receiver.received.length > 1);
  expect(await ailing()).toBeUndefined();
  const notices = receiver.received.map((delivery) => verified(webhook.secret, delivery));
  const whose = { account_id: null, channel_id: channelId, channel: "shaky", minutes: expect.any(Number) };
  expect(notices).toMatchObject([
    { type: "channel.failing", data: { ...whose, accounts: 2, last_status: 500 } },
    { type: "channel.recovered", data: { ...whose, accounts: 2 } },
  ]);
  expect(notices[0]?.data.attempts).toBe(notices[0]?.data.failed);
  expect(notices[1]?.data.failed).toBe(notices[0]?.data.failed);
  expect(notices[1]?.data.failing_since).toBe(notices[0]?.data.failing_since);
});

/** Records attempts of an account's calls. They began `minutesAgo`; their calls may have begun earlier. */
const oneAttempt = { accountId: "acc_a", minutesAgo: 1, callMinutesAgo: 0, outcome: "refused", elapsedMs: 1 };
type Attempts = Partial<typeof oneAttempt> & { count: number; status?: number | null };
async function recordAttempts(channelId: string, attempts: Attempts) {
  const { accountId, minutesAgo, callMinutesAgo, outcome, elapsedMs } = { ...oneAttempt, ...attempts };
  const { count, status = 503 } = attempts;
  const begunMs = Date.now() - (callMinutesAgo || minutesAgo) * 60_000;
  await sqlOf(gateway.runtime.db)`
    insert into call_attempts (request_id, account_id, position, channel_id, operation, credential, model_id, began_at,
      status, outcome, elapsed_ms)
    select ${lowestId("req", new Date(begunMs))}::text || gen_random_uuid(), ${accountId},
      0, ${channelId}, 'chat', '', 'a', now() - ${minutesAgo} * interval '1 minute', ${status}, ${outcome}, ${elapsedMs}
    from generate_series(1, ${count}::int)`;
}

/** A channel, and the moment since which it counts as failing. */
async function newChannel() {
  const channelId = await gateway.channel({ model: await gateway.model(), baseUrl: upstream.baseUrl });
  const since = async () => (await failingSince(gateway.runtime.db)).get(branded(channelId));
  return { channelId, since };
}

test("a channel that is disabled while it fails raises a new alarm when it fails again", async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  const { channelId, since } = await newChannel();
  await recordAttempts(channelId, { count: 6, minutesAgo: 9 });
  await look();
  const first = (await since()) ?? expect.fail("no alarm");
  await operator.channels.setEnabled({ channelId, isEnabled: false });
  await look();
  expect(await since()).toBeUndefined();
  await operator.channels.setEnabled({ channelId, isEnabled: true });
  const later = new Date(Date.now() + 5 * 60_000);
  await look(later);
  expect(await since()).toBeUndefined();
  await recordAttempts(channelId, { count: 6 });
  await look(later);
  expect((await since())?.getTime()).toBeGreaterThan(first.getTime());
});

test("long calls count from the time at which they asked the channel, and one account's faults alone raise no alarm", async () => {
  const { channelId, since } = await newChannel();
  const timeout = { outcome: "timeout", status: null, minutesAgo: 5, callMinutesAgo: 20, count: 20 };
  await recordAttempts(channelId, { count: 3, outcome: "ok", status: 200 });
  await recordAttempts(channelId, { accountId: "acc_b", ...timeout });
  await look();
  expect(await since()).toBeUndefined();
  await recordAttempts(channelId, { accountId: "acc_c", ...timeout });
  await look();
  expect(await since()).toBeInstanceOf(Date);
});

test("a hanging channel raises an alarm though clients leave before the deadline, and a merely slow one does not", async () => {
  const { channelId, since } = await newChannel();
  const left = { outcome: "abandoned", status: null, count: 5 };
  await recordAttempts(channelId, { accountId: "acc_a", ...left, elapsedMs: 19_000 });
  await recordAttempts(channelId, { accountId: "acc_b", ...left, elapsedMs: 30_000 });
  await look();
  expect(await since()).toBeUndefined();
  await recordAttempts(channelId, { accountId: "acc_c", ...left, elapsedMs: 30_000 });
  await look();
  expect(await since()).toBeInstanceOf(Date);
});
