import { expect, test } from "vitest";
import { sqlOf } from "@/server/db/handles";
import { announceModels } from "@/server/notifications/vendor-models";
import { callerFor } from "@/tests/support/console";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { until } from "@/tests/support/until";
import { sendJson, startUpstream } from "@/tests/support/upstream";
import { startReceiver, verified } from "@/tests/support/webhook-receiver";

const gateway = perFile(() => startGateway({ env: { WEBHOOKS_ALLOW_PRIVATE: "true" } }));
const vendor = perFile(() => startUpstream((_, response) => sendJson(response, 500, {})));
const receiver = perFile(startReceiver);

const list = (...ids: string[]) =>
  vendor.answer((_, response) => sendJson(response, 200, { data: ids.map((id) => ({ id })) }));

/** The checks of all replicas at a later day: each that is due is made once. */
async function look(channelId: string) {
  const { db, channels } = gateway.runtime;
  await sqlOf(db)`update channel_model_checks set due_at = now() where channel_id = ${channelId}`;
  const asked = vendor.requests.length;
  await Promise.all(Array.from({ length: 4 }, () => announceModels({ db, channels }, new Date())));
  // The worker of this gateway may have been the one that asked.
  await until(async () => {
    const due = await sqlOf(db)`
      select from channel_model_checks where channel_id = ${channelId} and due_at > now() + interval '1 hour'`;
    return due.length === 1;
  });
  expect(vendor.requests.length - asked).toBe(1);
}

test("a vendor's new and removed models are announced once, need attention until they were seen, and are not put on sale", async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  const model = await gateway.model();
  const channelId = await gateway.channel({ model, name: "watched", baseUrl: vendor.baseUrl });
  const events = ["channel.models_changed"] as const;
  const webhook = await operator.installationWebhooks.create({ url: receiver.url, events: [...events] });
  list(model, "known");
  await operator.channels.setModelChecks({ channelId, modelCheckDays: 7 });
  const found = async () => {
    const [check] = await operator.channels.modelChecks();
    return check && { added: check.newModels, gone: check.goneModels, failure: check.failure };
  };
  const warned = async () => (await operator.overview.attention()).vendorModels;
  await look(channelId);
  expect(await found()).toEqual({ added: [], gone: [], failure: null });

  list("known", "newer", "newest");
  await look(channelId);
  await look(channelId);
  expect(await found()).toEqual({ added: ["newer", "newest"], gone: [model], failure: null });
  expect(await warned()).toEqual([
    { channelId, channel: "watched", added: 2, gone: 1, names: ["newer", "newest", model] },
  ]);
  await until(() => receiver.received.length > 0);
  const notifications = receiver.received.map((delivery) => verified(webhook.secret, delivery));
  const data = { channel_id: channelId, channel: "watched", added: 2, removed: 1 };
  expect(notifications).toMatchObject([{ type: "channel.models_changed", data }]);
  expect((await operator.channels.get({ channelId })).models).toHaveLength(1);

  // A vendor that does not answer changes nothing that was found.
  vendor.answer((_, response) => sendJson(response, 401, { error: { message: "no such key" } }));
  await look(channelId);
  expect(await found()).toEqual({
    ...{ added: ["newer", "newest"], gone: [model] },
    failure: expect.stringContaining("no such key"),
  });
  await operator.channels.seeModels({ channelId });
  list("known", "newer", "newest");
  await look(channelId);
  expect(await found()).toEqual({ added: [], gone: [], failure: null });
  expect(await warned()).toEqual([]);
  await operator.channels.setModelChecks({ channelId, modelCheckDays: null });
  expect(await operator.channels.modelChecks()).toEqual([]);
});

test("a vendor that lists thousands of models fills no entry of the audit log", async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  const model = await gateway.model();
  const channelId = await gateway.channel({ model, name: "thousands", baseUrl: vendor.baseUrl });
  list(model);
  await operator.channels.setModelChecks({ channelId, modelCheckDays: 7 });
  await look(channelId);
  list(model, ...Array.from({ length: 5_000 }, (_, index) => `new-${index}`));
  await look(channelId);
  await operator.channels.seeModels({ channelId });
  const { rows } = await operator.audit.list({ action: "channel.see_models", targetId: channelId });
  const after = rows[0]?.after;
  expect(after).toMatchObject({ added: 4_999, removed: 0 });
  expect(JSON.stringify(after).length).toBeLessThan(2_000);

  // The rest of a list that is too long is not read, and says of no model that it is gone.
  list(...Array.from({ length: 5_000 }, (_, index) => `new-${index}`), model);
  await look(channelId);
  const checks = await operator.channels.modelChecks();
  expect(checks.find((check) => check.channelId === channelId)?.goneModels).toEqual([]);
});

test("the reason of a vendor that answers with bytes of zero is stored, and it is asked again the next day", async () => {
  const operator = await callerFor(gateway, { role: "operator" });
  const channelId = await gateway.channel({
    model: await gateway.model(),
    name: "zeros",
    baseUrl: vendor.baseUrl,
  });
  vendor.answer((_, response) => sendJson(response, 401, { error: { message: "no such\u0000key" } }));
  await operator.channels.setModelChecks({ channelId, modelCheckDays: 7 });
  await look(channelId);
  const checks = await operator.channels.modelChecks();
  expect(checks.find((check) => check.channelId === channelId)?.failure).toBe("no such key");
  const [{ days } = {}] = await sqlOf(gateway.runtime.db)<{ days: number }[]>`
    select round(extract(epoch from due_at - now()) / 86400)::int as days from channel_model_checks
    where channel_id = ${channelId}`;
  expect(days).toBe(1);
});
