import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { callerFor } from "@/tests/support/console";
import { startGateway, type TestGateway } from "@/tests/support/gateway";

let gateway: TestGateway;
let operator: Awaited<ReturnType<typeof callerFor>>;

beforeAll(async () => {
  gateway = await startGateway();
  operator = await callerFor(gateway, { role: "operator" });
});
afterAll(() => gateway.close());

const chat = () => ({
  id: `org/model-${randomUUID()}`,
  kind: "chat" as const,
  inputPrice: "1.5",
  outputPrice: "3",
});

const changesOf = async (targetId: string) =>
  (await listChanges(gateway.runtime.db, { targetId }, { limit: 50 })).rows;

test("prices come back to the last digit as they were entered, and what is inherited stays so", async () => {
  const model = { ...chat(), inputPrice: "0.000000001", outputPrice: "999999.999999999" };
  await operator.prices.create(model);
  expect(await operator.prices.get({ id: model.id })).toMatchObject({
    ...model,
    isEnabled: true,
    cacheReadPrice: null,
    cacheWritePrice: null,
    cacheWrite1hPrice: null,
  });
});

test("only what is named of a model changes, and the log has both sides of it", async () => {
  const { id } = chat();
  await operator.prices.create({ ...chat(), id, cacheReadPrice: "0.15" });
  await operator.prices.update({ id, outputPrice: "4", cacheReadPrice: null });
  expect(await operator.prices.get({ id })).toMatchObject({ inputPrice: "1.5", outputPrice: "4" });
  expect(await changesOf(id)).toMatchObject([
    {
      action: "model.save",
      before: { outputPrice: "3", cacheReadPrice: "0.15" },
      after: { outputPrice: "4", cacheReadPrice: null },
    },
    { action: "model.save", before: null, after: { kind: "chat", inputPrice: "1.5" } },
  ]);
});

test("a grid of video prices is replaced as a whole; what is left out is not sold", async () => {
  const { id } = chat();
  const cell = (durationSeconds: number, price: string) => ({ durationSeconds, resolution: "720p", price });
  await operator.prices.create({ id, kind: "video", videoPrices: [cell(5, "0.5"), cell(10, "1")] });
  await operator.prices.update({ id, videoPrices: [cell(5, "0.6")] });
  expect((await operator.prices.get({ id })).videoPrices).toEqual([cell(5, "0.6")]);
  expect((await changesOf(id))[0]).toMatchObject({
    before: { videoPrices: { "5:720p": "0.5", "10:720p": "1" } },
    after: { videoPrices: { "5:720p": "0.6" } },
  });
});

test("a model is added once and changed only where there is one", async () => {
  const model = chat();
  await operator.prices.create(model);
  await expect(operator.prices.create({ ...model, inputPrice: "9" })).rejects.toMatchObject({
    cause: { reason: "modelExists", values: { name: model.id } },
  });
  await expect(operator.prices.update({ id: "unheard-of", inputPrice: "1" })).rejects.toMatchObject({
    cause: { reason: "modelUnknown" },
  });
  expect((await operator.prices.get({ id: model.id })).inputPrice).toBe("1.5");
  expect(await changesOf(model.id)).toHaveLength(1);
});

test("no price is negative, endless or beyond what the ledger can hold", async () => {
  for (const inputPrice of ["-1", "0.0000000001", "1000000", "1e3", "1,5", ""]) {
    await expect(operator.prices.create({ ...chat(), inputPrice })).rejects.toMatchObject({
      code: "BAD_REQUEST",
    });
  }
});

test("what is odd about a model on sale is told, and nothing of one that is not", async () => {
  const served = await gateway.model();
  await gateway.channel({ model: served, baseUrl: "https://vendor.test/v1" });
  await gateway.channel({ model: "only-served", baseUrl: "https://vendor.test/v1" });
  const [free, unsold, off] = [chat().id, chat().id, chat().id];
  await operator.prices.create({ id: free, kind: "chat" });
  await operator.prices.create({ id: unsold, kind: "video" });
  await operator.prices.create({ id: off, kind: "chat", isEnabled: false });
  const { models, missing } = await operator.prices.list();
  const odditiesOf = (id: string) => models.find((model) => model.id === id)?.oddities;
  expect(odditiesOf(served)).toEqual([]);
  expect(odditiesOf(free)).toEqual(["unpriced", "unserved"]);
  expect(odditiesOf(unsold)).toEqual(["unsold", "unserved"]);
  expect(odditiesOf(off)).toEqual([]);
  expect(missing).toEqual(["only-served"]);
});

test("a model that is disabled is off sale for calls from then on", async () => {
  const model = await gateway.model();
  await gateway.channel({ model, dialect: "sandbox", baseUrl: "sandbox:" });
  const { secret } = await gateway.customer();
  const call = () => gateway.chat(secret, { model, messages: [{ role: "user", content: "hi" }] });
  expect((await call()).status).toBe(200);
  await operator.prices.update({ id: model, isEnabled: false });
  await expect.poll(async () => (await call()).status).toBe(404);
});

test("owners can neither see nor set what the operator entered", async () => {
  const { accountId } = await gateway.customer();
  const owner = await callerFor(gateway, { role: "owner", accountId });
  await expect(owner.prices.list()).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(owner.prices.create(chat())).rejects.toMatchObject({ code: "FORBIDDEN" });
});
