import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { callerFor } from "@/tests/support/console";
import { perFile } from "@/tests/support/per-file";
import { sharedGateway } from "@/tests/support/shared-gateway";
import { answerWith, startUpstream } from "@/tests/support/upstream";

const gateway = perFile(sharedGateway);
const upstream = perFile(() => startUpstream(answerWith("ok")));
const operator = perFile(() => callerFor(gateway, { role: "operator" }));

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
