import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { type Action, listChanges } from "@/server/audit";
import type { Reason } from "@/server/domain/refusal";
import { callerFor, PASSWORD } from "@/tests/support/console";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { signIns, tokenOf } from "@/tests/support/sign-ins";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const operator = perFile(() => callerFor(gateway, { role: "operator" }));

const badRequest = { code: "BAD_REQUEST" };
const expectReason = (work: Promise<unknown>, reason: Reason) =>
  expect(work).rejects.toMatchObject({ cause: { reason } });

const AT_ONCE = ["1", "2", "3", "4", "5", "6"];

/** One member of both sides of each recorded change, oldest first. */
async function storyOf(targetId: string, action: Action, member: string) {
  const { rows } = await listChanges(gateway.runtime.db, { targetId, action }, { limit: 50 });
  const side = (view: unknown) => String((view as Record<string, unknown>)[member]);
  return rows.reverse().map(({ before, after }) => ({ before: side(before), after: side(after) }));
}

function expectChain(story: { before: string; after: string }[], first: string) {
  expect(story).toHaveLength(AT_ONCE.length);
  expect(story.map(({ before }) => before)).toEqual([first, ...story.slice(0, -1).map(({ after }) => after)]);
}

test("concurrent changes of a quota are recorded one after the other", async () => {
  const { accountId } = await gateway.customer({ quota: "7" });
  await Promise.all(AT_ONCE.map((quota) => operator.accounts.setQuota({ accountId, quota })));
  expectChain(await storyOf(accountId, "account.set_quota", "quota"), "7");
});

test("concurrent changes of a channel are recorded one after the other", async () => {
  const model = await gateway.model();
  const channelId = await gateway.channel({ model, baseUrl: "http://127.0.0.1:9/v1" });
  await Promise.all(
    AT_ONCE.map((priority) => operator.channels.update({ channelId, priority: Number(priority) })),
  );
  expectChain(await storyOf(channelId, "channel.update", "priority"), "0");
});

test("concurrent changes of a price are recorded one after the other", async () => {
  const id = await gateway.model();
  const prices = AT_ONCE.map((price) => `${price}.5`);
  await Promise.all(prices.map((inputPrice) => operator.prices.update({ id, inputPrice })));
  expectChain(await storyOf(id, "model.save", "inputPrice"), "1");
});

test("a model that is added several times at once exists once, and no addition overwrites another's prices", async () => {
  const id = "org/added-at-once";
  const add = (price: string) => operator.prices.create({ id, kind: "chat", inputPrice: price });
  const ends = await Promise.allSettled(AT_ONCE.map(add));
  const refused = ends.filter((end) => end.status === "rejected").map(({ reason }) => reason.cause.reason);
  expect(refused).toEqual(AT_ONCE.slice(1).map(() => "modelExists"));
  const made = AT_ONCE[ends.findIndex(({ status }) => status === "fulfilled")];
  expect((await operator.prices.get({ id })).inputPrice).toBe(made);
  await expectReason(operator.prices.update({ id: "unheard-of", inputPrice: "1" }), "modelUnknown");
  const { rows } = await listChanges(gateway.runtime.db, { targetId: id }, { limit: 50 });
  expect(rows).toMatchObject([{ before: null, after: { inputPrice: made } }]);
});

test("one of several concurrent removals of a channel succeeds, and it alone is recorded", async () => {
  const model = await gateway.model();
  const channelId = await gateway.channel({ model, baseUrl: "http://127.0.0.1:9/v1" });
  const ends = await Promise.allSettled([1, 2, 3].map(() => operator.channels.remove({ channelId })));
  expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  const { rows } = await listChanges(gateway.runtime.db, { targetId: channelId }, { limit: 50 });
  expect(rows.map(({ action }) => action)).toEqual(["channel.remove"]);
});

const { lastChange } = signIns(gateway);

async function create(more: object = {}) {
  const email = `${randomUUID()}@example.com`;
  const input = { name: randomUUID(), quota: "5", email, ...more };
  const { invitation, ...made } = await operator.accounts.create(input);
  if (!invitation) {
    throw new Error("the owner was not invited");
  }
  return { ...made, ...invitation };
}

describe("a new account", () => {
  test("takes no password from its creator, and no later answer repeats its invitation link", async () => {
    await expect(create({ password: PASSWORD })).rejects.toMatchObject(badRequest);
    const made = await create();
    const shown = [await operator.accounts.get({ accountId: made.id }), await lastChange(made.id)];
    expect(JSON.stringify(shown)).not.toContain(tokenOf(made.url));
    expect(await lastChange(made.id)).toMatchObject({
      ...{ action: "account.create", targetName: made.name, before: null },
      after: { name: made.name, quota: "5", user: made.email },
    });
  });

  test("is not made when its name or its owner's e-mail is taken", async () => {
    const first = await create();
    await expectReason(create({ name: first.name }), "accountNameTaken");
    const name = randomUUID();
    await expectReason(create({ name, email: first.email.toUpperCase() }), "emailTaken");
    expect((await operator.accounts.list({ search: name })).rows).toEqual([]);
  });
});

test("a top-up without an amount or a reason and a negative quota are refused, and nothing moves", async () => {
  const { accountId } = await gateway.customer({ quota: "1" });
  const amounts = ["0", "-1", "1e3", "0.0000000001", ""].map((amount) => ({ amount, reason: "r" }));
  for (const wrong of [...amounts, { amount: "1", reason: "  " }]) {
    await expect(operator.accounts.topUp({ accountId, ...wrong })).rejects.toMatchObject(badRequest);
  }
  await expect(operator.accounts.setQuota({ accountId, quota: "-1" })).rejects.toMatchObject(badRequest);
  expect(await gateway.balance(accountId)).toMatchObject({ topups: 0n, available: 1_000_000_000n });
});

const upstream = perFile(() => startUpstream(answerWith("ok")));

const SECRET = "sk-console-secret-4f2a";

const draft = (modelId = `model-${randomUUID()}`) => ({
  name: `channel-${randomUUID()}`,
  models: [{ modelId, upstreamName: "upstream-model", overrides: { topK: true } }],
  ...{ dialect: "openai" as const, vendor: null, baseUrl: upstream.baseUrl, secrets: [SECRET] },
  ...{ priority: 0, weight: 1, maxTasks: null, timeoutSeconds: null, idleTimeoutSeconds: null },
});

const createChannel = async (change: Partial<ReturnType<typeof draft>> = {}) => {
  const channel = { ...draft(), ...change };
  const { id } = await operator.channels.create(channel);
  return { ...channel, id };
};

const changesOf = async (targetId: string) =>
  (await listChanges(gateway.runtime.db, { targetId }, { limit: 50 })).rows;

test("the audit log records a replaced credential, even one that ends like the old one", async () => {
  const { id } = await createChannel();
  const secret = "sk-another-one-4f2a";
  await operator.channels.update({ channelId: id, secrets: [{ secret }] });
  const [change] = await changesOf(id);
  expect(change).toMatchObject({ action: "channel.update", before: {}, after: { newCredentials: 1 } });
  expect(JSON.stringify(change)).not.toContain(secret);
});

test("a public name of a channel stands for one upstream name", async () => {
  const twice = { modelId: "m", upstreamName: "a", overrides: {} };
  const models = [twice, twice];
  await expect(operator.channels.create({ ...draft(), models })).rejects.toMatchObject(badRequest);
});

test("a model that does not exist has no route", async () => {
  expect(await operator.channels.routes({ modelId: "unheard-of" })).toEqual({ model: null, tiers: [] });
});
