import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { callerFor } from "@/tests/support/console";
import type { TestGateway } from "@/tests/support/gateway";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { answerWith, type FakeUpstream, startUpstream } from "@/tests/support/upstream";

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

test("a replaced credential is told in the log of changes, even one that ends alike", async () => {
  const { id } = await create();
  const secret = "sk-another-one-4f2a";
  await operator.channels.update({ channelId: id, secrets: [{ secret }] });
  const [change] = await changesOf(id);
  expect(change).toMatchObject({ action: "channel.update", before: {}, after: { newCredentials: 1 } });
  expect(JSON.stringify(change)).not.toContain(secret);
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

test("a model that nobody has entered has no route", async () => {
  expect(await operator.channels.routes({ modelId: "unheard-of" })).toEqual({ model: null, tiers: [] });
});
