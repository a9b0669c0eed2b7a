import { expect, test } from "vitest";
import { type Action, listChanges } from "@/server/audit";
import { callerFor } from "@/tests/support/console";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";

const gateway = perFile(sharedGateway);
const operator = perFile(() => callerFor(gateway, { role: "operator" }));

const AT_ONCE = ["1", "2", "3", "4", "5", "6"];

/** One member of both sides of each recorded change, oldest first. */
async function storyOf(targetId: string, action: Action, member: string) {
  const { rows } = await listChanges(gateway.runtime.db, { targetId, action }, { limit: 50 });
  const side = (view: unknown) => String((view as Record<string, unknown>)[member]);
  return rows.reverse().map(({ before, after }) => ({ before: side(before), after: side(after) }));
}

/** That each change began where the one before it ended. */
function expectChain(story: { before: string; after: string }[], first: string) {
  expect(story).toHaveLength(AT_ONCE.length);
  expect(story.map(({ before }) => before)).toEqual([first, ...story.slice(0, -1).map(({ after }) => after)]);
}

test("quotas that are set at once are recorded one after the other", async () => {
  const { accountId } = await gateway.customer({ quota: "7" });
  await Promise.all(AT_ONCE.map((quota) => operator.accounts.setQuota({ accountId, quota })));
  expectChain(await storyOf(accountId, "account.set_quota", "quota"), "7");
});

test("changes of a channel at once are recorded one after the other", async () => {
  const model = await gateway.model();
  const channelId = await gateway.channel({ model, baseUrl: "http://127.0.0.1:9/v1" });
  await Promise.all(
    AT_ONCE.map((priority) => operator.channels.update({ channelId, priority: Number(priority) })),
  );
  expectChain(await storyOf(channelId, "channel.update", "priority"), "0");
});

test("prices that are set at once are recorded one after the other", async () => {
  const id = await gateway.model();
  const prices = AT_ONCE.map((price) => `${price}.5`);
  await Promise.all(prices.map((inputPrice) => operator.prices.update({ id, inputPrice })));
  expectChain(await storyOf(id, "model.save", "inputPrice"), "1");
});

test("a model that is added several times at once is there once, and nobody overwrites another's prices", async () => {
  const id = "org/added-at-once";
  const add = (price: string) => operator.prices.create({ id, kind: "chat", inputPrice: price });
  const ends = await Promise.allSettled(AT_ONCE.map(add));
  const refused = ends.filter((end) => end.status === "rejected").map(({ reason }) => reason.cause.reason);
  expect(refused).toEqual(AT_ONCE.slice(1).map(() => "modelExists"));
  const made = AT_ONCE[ends.findIndex(({ status }) => status === "fulfilled")];
  expect((await operator.prices.get({ id })).inputPrice).toBe(made);
  await expect(operator.prices.update({ id: "unheard-of", inputPrice: "1" })).rejects.toMatchObject({
    cause: { reason: "modelUnknown" },
  });
  const { rows } = await listChanges(gateway.runtime.db, { targetId: id }, { limit: 50 });
  expect(rows).toMatchObject([{ before: null, after: { inputPrice: made } }]);
});

test("a channel is removed once: who comes second is told that there is none, and nothing is recorded", async () => {
  const model = await gateway.model();
  const channelId = await gateway.channel({ model, baseUrl: "http://127.0.0.1:9/v1" });
  const ends = await Promise.allSettled([1, 2, 3].map(() => operator.channels.remove({ channelId })));
  expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  const { rows } = await listChanges(gateway.runtime.db, { targetId: channelId }, { limit: 50 });
  expect(rows.map(({ action }) => action)).toEqual(["channel.remove"]);
});
