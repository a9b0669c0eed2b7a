import { beforeEach, describe, expect, test } from "vitest";
import { createVault } from "@/server/base/vault";
import { sqlOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { newManager } from "@/tests/support/admin-api";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { notificationRoom } from "@/tests/support/notification-room";
import { until } from "@/tests/support/until";
import { turbo } from "@/tests/support/video-client";
import { type Receiver, startReceiver, verified } from "@/tests/support/webhook-receiver";

const { gateway, ownerOf, watch, watchAtOnce, spend, anotherWork, queuedFor } = notificationRoom(() => ({
  WEBHOOKS_ALLOW_PRIVATE: "true",
}));
const commands = commandsOn(() => gateway.databaseUrl, { WEBHOOKS_ALLOW_PRIVATE: "true" });

const sql = () => sqlOf(gateway.runtime.db);

let receiver: Receiver;
beforeEach(async () => {
  receiver = await startReceiver();
  return receiver.close;
});

const thresholds = ["quota.threshold", "key.cap_threshold"] as const;
const ofType = (type: string) => receiver.received.filter(({ body }) => JSON.parse(body).type === type);

const dueNow = (webhookId: string) =>
  sql()`update webhook_deliveries set due_at = now() where webhook_id = ${webhookId}`;

describe("a webhook", () => {
  test("gets one notification of a used share of the month, however many processes look, and can verify the sender", async () => {
    const rich = await gateway.customer({ quota: "0.2" });
    const { accountId, secret } = await gateway.customer({ quota: "0.05" });
    const listen = async (id: AccountId) =>
      (await ownerOf(id)).webhooks.create({ url: receiver.url, events: [...thresholds] });
    await listen(rich.accountId);
    const webhook = await listen(accountId);
    await spend(rich.secret, 1);
    await watchAtOnce();
    expect(ofType("quota.threshold")).toEqual([]);
    // One charge, between whose shares the gateway's own watch cannot come.
    await spend(secret, 1);
    await watchAtOnce();
    await until(() => receiver.received.length > 0);
    await watchAtOnce();
    await until(async () => (await queuedFor(webhook.id)).every((row) => row.delivered_at !== null));
    // The call also passed 50 and 80: of several new thresholds only the highest is notified.
    expect(ofType("quota.threshold")).toHaveLength(1);
    const [delivery] = receiver.received;
    const event = delivery && verified(webhook.secret, delivery);
    expect(event).toMatchObject({
      type: "quota.threshold",
      data: { account_id: accountId, percent: 100, quota: "0.05", used: "0.05", available: "0" },
    });
    expect(() =>
      verified(`whsec_${Buffer.alloc(32).toString("base64")}`, delivery ?? expect.fail()),
    ).toThrow();
    expect(() =>
      verified(webhook.secret, { ...(delivery ?? expect.fail()), body: `${delivery?.body} ` }),
    ).toThrow();
  });

  test("gets key caps, videos in the transaction that ends them, and nothing of other accounts", async () => {
    const mine = await gateway.customer({ quota: "10" });
    const foreign = await gateway.customer({ quota: "10" });
    const owner = await ownerOf(mine.accountId);
    await owner.keys.update({ keyId: mine.keyId, name: "capped", monthlyCap: "0.1" });
    const events = ["key.cap_threshold", "video.completed", "video.failed"] as const;
    const webhook = await owner.webhooks.create({ url: receiver.url, events: [...events] });
    await spend(mine.secret, 1);
    await spend(foreign.secret, 1);
    await watch();
    await until(() => receiver.received.length >= 2);
    const notices = receiver.received.map((delivery) => verified(webhook.secret, delivery));
    expect(notices.map(({ type }) => type).toSorted()).toEqual(["key.cap_threshold", "video.completed"]);
    expect(notices.every(({ data }) => data.account_id === mine.accountId)).toBe(true);
    expect(notices.find(({ type }) => type === "video.completed")?.data).toMatchObject({
      status: "completed",
      charged: "0.05",
      model: turbo.model,
    });
    expect(notices.find(({ type }) => type === "key.cap_threshold")?.data).toMatchObject({
      percent: 50,
      key_id: mine.keyId,
      cap: "0.1",
      spent: "0.05",
    });
  });

  test("gets each cap by day and week and the daily limit once, however many processes look", async () => {
    const { accountId, keyId, secret } = await gateway.customer({ quota: "10" });
    const owner = await ownerOf(accountId);
    await owner.keys.update({ keyId, name: "capped", dailyCap: "0.05", weeklyCap: "0.1" });
    const operator = await callerFor(gateway, { role: "operator" });
    await operator.accounts.setLimits({ accountId, dailyLimit: "0.06" });
    const events = ["key.cap_threshold", "daily_limit.threshold"] as const;
    const webhook = await owner.webhooks.create({ url: receiver.url, events: [...events] });
    await spend(secret, 1);
    await watchAtOnce();
    await watchAtOnce();
    await until(() => receiver.received.length >= 3);
    const notices = receiver.received.map((delivery) => verified(webhook.secret, delivery));
    const summaries = notices.map(({ type, data }) => [type, data.window, data.percent, data.spent]);
    expect(summaries.toSorted()).toEqual([
      ["daily_limit.threshold", undefined, 80, "0.05"],
      ["key.cap_threshold", "day", 100, "0.05"],
      ["key.cap_threshold", "week", 50, "0.05"],
    ]);
  });

  test("gets a day's spend far above the usual once a day, and no usual day's spend", async () => {
    const { notifications } = gateway.runtime;
    const [mine, usual] = [
      await gateway.customer({ quota: "100" }),
      await gateway.customer({ quota: "100" }),
    ];
    const secrets: string[] = [];
    for (const { accountId, secret } of [mine, usual]) {
      await spend(secret, 1);
      // The costs of the ten days before, in the hours of the sums.
      await sql()`
        insert into spend_hours (account_id, period, hour, key_id, model_id, calls, amount, input_tokens, output_tokens)
        select ${accountId}, to_char(hour at time zone 'Asia/Shanghai', 'YYYY-MM'), hour, '', '', 1,
          50000000 + day * 1000, 0, 0
        from generate_series(1, 10) as day, lateral (
          select date_trunc('hour', now() - day * interval '1 day') as hour
        ) as past`;
      const owner = await ownerOf(accountId);
      secrets.push((await owner.webhooks.create({ url: receiver.url, events: ["spend.anomaly"] })).secret);
    }
    await sql()`
      update spend_hours set amount = 5000000000 where account_id = ${mine.accountId}
        and hour = date_trunc('hour', now())`;
    await notifications.watchSpend();
    await notifications.watchSpend();
    await until(() => receiver.received.length > 0);
    const notices = receiver.received.map((delivery) => verified(secrets[0] ?? "", delivery));
    expect(notices).toMatchObject([
      {
        type: "spend.anomaly",
        data: { account_id: mine.accountId, hours: 24, spent: "5", usual: "0.050006" },
      },
    ]);
  });

  test("of operators gets the events of every account, and every door lists it", async () => {
    const made = await commands.json<{ id: string; secret: string }>(
      ...["webhook", "create", "--url", receiver.url, "--event", "video.completed"],
    );
    const { accountId, secret } = await gateway.customer();
    await spend(secret, 1);
    await until(() => ofType("video.completed").length > 0);
    const [delivery = expect.fail()] = receiver.received;
    expect(verified(made.secret, delivery).data).toMatchObject({ account_id: accountId });
    const { body } = await (await newManager(gateway))("GET /webhooks");
    expect(body.data).toMatchObject([{ id: made.id, account_id: null, url: receiver.url }]);
    expect(JSON.stringify(body)).not.toContain(made.secret);
    await commands.json("webhook", "delete", "--webhook", made.id);
    expect(await commands.json("webhook", "list")).toEqual([]);
  });
});

describe("a notification", () => {
  test("that was refused is sent again with the same id, later or by hand, until the receiver is gone", async () => {
    const { accountId } = await gateway.customer();
    const owner = await ownerOf(accountId);
    receiver.answer(503, { "retry-after": "7200" });
    const webhook = await owner.webhooks.create({ url: receiver.url, events: ["video.failed"] });
    const delivery = await owner.webhooks.test({ webhookId: webhook.id });
    await until(() => receiver.received.length === 1);
    await until(async () => (await queuedFor(webhook.id))[0]?.answered === 503);
    const [row] = await queuedFor(webhook.id);
    const waits = (Number(new Date(row?.due_at)) - gateway.clock().getTime()) / 1000;
    expect(waits).toBeGreaterThan(7_000);
    expect(waits).toBeLessThanOrEqual(7_200);
    receiver.answer(204);
    await dueNow(webhook.id);
    await until(async () => (await queuedFor(webhook.id))[0]?.delivered_at !== null);
    await owner.webhooks.redeliver({ webhookId: webhook.id, deliveryId: delivery.id });
    await until(() => receiver.received.length === 3);
    expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"]))).toEqual(
      new Set([delivery.id]),
    );
    expect(await owner.webhooks.deliveries({ webhookId: webhook.id })).toMatchObject([{ id: delivery.id }]);
    receiver.answer(410);
    await owner.webhooks.test({ webhookId: webhook.id });
    await until(async () => (await owner.webhooks.list({}))[0]?.status === "disabled");
  });

  test("is sent once by two processes, and again by another if its process died", async () => {
    const { accountId } = await gateway.customer();
    const owner = await ownerOf(accountId);
    const webhook = await owner.webhooks.create({ url: receiver.url, events: ["video.failed"] });
    const other = anotherWork();
    for (let count = 0; count < 10; count++) {
      await owner.webhooks.test({ webhookId: webhook.id });
    }
    await Promise.all([other.deliver(), gateway.runtime.notifications.deliver(), other.deliver()]);
    await until(async () => (await queuedFor(webhook.id)).every((row) => row.delivered_at !== null));
    expect(receiver.received).toHaveLength(10);
    // A claim whose process died: its lease is over, and it is unknown whether the webhook was called.
    await sql()`
      update webhook_deliveries set attempts = 1, delivered_at = null, due_at = now() where webhook_id = ${webhook.id}`;
    await until(() => receiver.received.length === 20);
    await other.close();
  });

  test("cannot be sent to a private address unless the installation allows it", async () => {
    const strict = commandsOn(() => gateway.databaseUrl);
    const command = ["webhook", "create", "--event", "video.failed", "--url"];
    expect(await strict.run(...command, receiver.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining("https URL"),
    });
  });
});

test("a rotated secret signs together with the one before it, and both are stored encrypted", async () => {
  const { accountId } = await gateway.customer();
  const owner = await ownerOf(accountId);
  const webhook = await owner.webhooks.create({ url: receiver.url, events: ["video.failed"] });
  const { secret } = await owner.webhooks.rotate({ webhookId: webhook.id });
  expect(secret).not.toBe(webhook.secret);
  await owner.webhooks.test({ webhookId: webhook.id });
  await until(() => receiver.received.length === 1);
  const [delivery = expect.fail()] = receiver.received;
  for (const signingSecret of [secret, webhook.secret]) {
    expect(verified(signingSecret, delivery)).toMatchObject({ type: "webhook.test" });
  }
  const [row] = await sql()`select secret, old_secret from webhooks where id = ${webhook.id}`;
  const vault = createVault("e".repeat(32));
  expect([vault.open(row?.secret), vault.open(row?.old_secret)]).toEqual([secret, webhook.secret]);
});
