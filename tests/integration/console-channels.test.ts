import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { callerFor } from "@/tests/support/console";
import type { TestGateway } from "@/tests/support/gateway";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { answerWith, type FakeUpstream, refuseWith, startUpstream, usage } from "@/tests/support/upstream";

let gateway: TestGateway;
let upstream: FakeUpstream;
let operator: Awaited<ReturnType<typeof callerFor>>;

beforeAll(async () => {
  gateway = await sharedGateway();
  upstream = await startUpstream(answerWith("ok"));
  operator = await callerFor(gateway, { role: "operator" });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

const SECRET = "sk-console-secret-4f2a";

const draft = (modelId = `model-${randomUUID()}`) => ({
  name: `channel-${randomUUID()}`,
  dialect: "openai" as const,
  vendor: null,
  baseUrl: upstream.baseUrl,
  secrets: [SECRET],
  models: [{ modelId, upstreamName: "upstream-model", overrides: { topK: true } }],
  priority: 0,
  weight: 1,
  maxTasks: null,
  timeoutSeconds: null,
  idleTimeoutSeconds: null,
});

const create = async (change: Partial<ReturnType<typeof draft>> = {}) => {
  const channel = { ...draft(), ...change };
  const { id } = await operator.channels.create(channel);
  return { ...channel, id };
};

const changesOf = async (targetId: string) =>
  (await listChanges(gateway.runtime.db, { targetId }, { limit: 50 })).rows;

test("a channel is shown with the ends of its credentials, and never with a credential", async () => {
  const { id, models } = await create();
  const [model] = models;
  const shown = await operator.channels.get({ channelId: id });
  expect(shown).toMatchObject({ credentialHints: ["4f2a"], models: [model] });
  const row = (await operator.channels.list()).find((channel) => channel.id === id);
  expect(row).toMatchObject({ credentialHints: ["4f2a"], modelCount: 1 });
  const changes = await changesOf(id);
  expect(changes).toMatchObject([{ action: "channel.create", before: null, after: { credentials: 1 } }]);
  expect(JSON.stringify([shown, row, changes])).not.toContain(SECRET);
});

test("a replaced credential is told in the log of changes, even one that ends alike", async () => {
  const { id } = await create();
  const secret = "sk-another-one-4f2a";
  await operator.channels.update({ channelId: id, secrets: [{ secret }] });
  const [change] = await changesOf(id);
  expect(change).toMatchObject({ action: "channel.update", before: {}, after: { newCredentials: 1 } });
  expect(JSON.stringify(change)).not.toContain(secret);
});

test("only what is named of a channel changes, and the log has both sides of it", async () => {
  const { id, models, name } = await create();
  await operator.channels.update({ channelId: id, priority: 7 });
  const [model] = models;
  expect(await operator.channels.get({ channelId: id })).toMatchObject({
    name,
    priority: 7,
    weight: 1,
    models: [model],
  });
  expect((await changesOf(id))[0]).toMatchObject({ before: { priority: 0 }, after: { priority: 7 } });
});

test("enabling, disabling and removing are recorded as such", async () => {
  const { id } = await create();
  await operator.channels.setEnabled({ channelId: id, isEnabled: false });
  await operator.channels.setEnabled({ channelId: id, isEnabled: true });
  await operator.channels.remove({ channelId: id });
  const actions = (await changesOf(id)).map(({ action }) => action);
  expect(actions).toEqual(["channel.remove", "channel.enable", "channel.disable", "channel.create"]);
  await expect(operator.channels.get({ channelId: id })).rejects.toMatchObject({
    cause: { reason: "channelUnknown" },
  });
});

test("refusals name their texts, and leave neither a change nor a record", async () => {
  const { id, name } = await create();
  const { id: other } = await create();
  const refusal = (reason: string) => ({ cause: { name: "Refusal", reason } });
  await expect(operator.channels.create({ ...draft(), name })).rejects.toMatchObject(
    refusal("channelNameTaken"),
  );
  await expect(operator.channels.update({ channelId: other, name })).rejects.toMatchObject(
    refusal("channelNameTaken"),
  );
  await expect(
    operator.channels.update({ channelId: id, baseUrl: "https://elsewhere.test/v1" }),
  ).rejects.toMatchObject(refusal("credentialForAnotherHost"));
  await expect(operator.channels.update({ channelId: id, baseUrl: "gopher://a.test" })).rejects.toMatchObject(
    refusal("baseUrlInvalid"),
  );
  expect(await operator.channels.get({ channelId: id })).toMatchObject({ name, baseUrl: upstream.baseUrl });
  expect((await changesOf(id)).length + (await changesOf(other)).length).toBe(2);
});

test("a public name stands for one upstream name, and for no capability that the dialect lacks", async () => {
  const twice = { modelId: "m", upstreamName: "a", overrides: {} };
  await expect(operator.channels.create({ ...draft(), models: [twice, twice] })).rejects.toMatchObject({
    code: "BAD_REQUEST",
  });
  const models = [{ modelId: "m", upstreamName: "m", overrides: { thinking: "budget" } }];
  await expect(operator.channels.create({ ...draft(), models })).rejects.toMatchObject({
    cause: { name: "Refusal" },
  });
});

test("a test says what the upstream said, also of a channel that is disabled", async () => {
  const { id, models } = await create();
  const modelId = models[0]?.modelId ?? "";
  await operator.channels.setEnabled({ channelId: id, isEnabled: false });
  upstream.answer(answerWith("pong", usage(8, 2)));
  expect(await operator.channels.test({ channelId: id, modelId })).toMatchObject({
    ok: true,
    status: 200,
    upstreamName: "upstream-model",
    usage: { inputTokens: 8, outputTokens: 2 },
  });
  upstream.answer(refuseWith(401, `no such key: ${SECRET}`));
  const refused = await operator.channels.test({ channelId: id, modelId });
  expect(refused).toMatchObject({ ok: false, status: 401 });
  expect(refused.message).toContain("no such key");
  expect(refused.message).not.toContain(SECRET);
  upstream.answer(answerWith("ok"));
  await expect(operator.channels.test({ channelId: id, modelId: "another" })).rejects.toMatchObject({
    cause: { reason: "channelServesNoSuchModel" },
  });
});

test("a test asks in the way of the catalog's kind", async () => {
  const model = await gateway.model({ kind: "embedding" });
  await operator.channels.testDraft({ draft: draft(model), modelId: model });
  expect(upstream.asked.at(-1)?.path).toBe("/v1/embeddings");
});

test("a draft is tested with its own credential, and stays a draft", async () => {
  const tried = draft();
  const modelId = tried.models[0]?.modelId ?? "";
  const secrets = ["sk-only-typed-1111"];
  expect(await operator.channels.testDraft({ draft: { ...tried, secrets }, modelId })).toMatchObject({
    ok: true,
  });
  expect(upstream.asked.at(-1)?.headers.authorization).toBe("Bearer sk-only-typed-1111");
  expect((await operator.channels.list()).some(({ name }) => name === tried.name)).toBe(false);
});

test("what went wrong with a channel is seen beside it, and its route says so", async () => {
  const model = await gateway.model();
  const broken = await startUpstream(refuseWith(503, "overloaded"));
  const { id } = await create({ ...draft(model), baseUrl: broken.baseUrl, priority: 5 });
  const { id: spare } = await create(draft(model));
  gateway.runtime.channels.forget();
  const { secret } = await gateway.customer();
  for (let call = 0; call < 5; call++) {
    expect((await gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] })).status).toBe(
      200,
    );
  }
  const standing = (await operator.channels.states()).find(({ channelId }) => channelId === id);
  expect(standing).toMatchObject({ state: "open", fault: { status: 503 } });
  expect(standing?.seen).toMatchObject([
    { operation: "chat", state: "open", oks: 0, lastFault: { status: 503 } },
  ]);
  expect(standing?.fault?.message).toContain("overloaded");

  expect(await operator.channels.routes({ modelId: model })).toMatchObject({
    model: { kind: "chat", isEnabled: true },
    tiers: [
      { priority: 5, ways: [{ channelId: id, state: "open", share: 1 }] },
      { priority: 0, ways: [{ channelId: spare, state: "well", share: 1 }] },
    ],
  });
  await broken.close();
});

test("a model that nobody has entered has no route", async () => {
  expect(await operator.channels.routes({ modelId: "unheard-of" })).toEqual({ model: null, tiers: [] });
});

test("owners learn nothing of channels", async () => {
  const { accountId } = await gateway.customer();
  const owner = await callerFor(gateway, { role: "owner", accountId });
  await expect(owner.channels.list()).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(owner.channels.test({ channelId: "a", modelId: "b" })).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
  await expect(owner.channels.create(draft())).rejects.toMatchObject({ code: "FORBIDDEN" });
});
