import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { periodBefore } from "@/server/base/period";
import { sqlOf } from "@/server/db/handles";
import { priceFileQueries } from "@/server/queries";
import { callerFor } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import type { TestGateway } from "@/tests/support/gateway";
import { sharedGateway } from "@/tests/support/shared-gateway";

let gateway: TestGateway;
let operator: Awaited<ReturnType<typeof callerFor>>;

beforeAll(async () => {
  gateway = await sharedGateway();
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
  await eventually(async () => (await call()).status).toBe(404);
});

test("what is exported is imported without a change, scheduled prices and odd names too", async () => {
  const { id } = { ...chat(), id: `@org/=${randomUUID()}` };
  await operator.prices.create({ ...chat(), id, cacheReadPrice: "0.000000001" });
  const cells = [{ modelId: id, name: "output", price: "4" }];
  await operator.prices.set({ cells, beginsAt: "2098-01-01T00:00:00Z" });
  const { csv } = await priceFileQueries.get.read(gateway.runtime, {}, "operator");
  expect(csv).toContain(`'${id},output,4,CNY,2098-01-01T00:00:00.000Z`);
  expect(await operator.prices.previewFile({ csv })).toMatchObject({ changes: [], problems: [] });
  await expect(operator.prices.importFile({ csv })).rejects.toMatchObject({
    cause: { reason: "priceUnchanged" },
  });
});

test("a file with a wrong line changes nothing, and one without changes all, with an entry for each model", async () => {
  const [one, other] = [chat(), chat()];
  await operator.prices.create(one);
  await operator.prices.create(other);
  const file = (...lines: string[]) => ({ csv: ["model,price_of,price,begins_at", ...lines].join("\n") });
  const good = [
    `${one.id},input,2,`,
    `${other.id},cache_read,0.1,`,
    `${other.id},input,1.5,2098-01-01T00:00:00Z`,
  ];
  await expect(operator.prices.importFile(file(...good, "unheard-of,input,1,"))).rejects.toMatchObject({
    cause: { reason: "priceFileInvalid", values: { count: 1, line: 5 } },
  });
  expect((await operator.prices.get({ id: one.id })).inputPrice).toBe("1.5");
  const { changes, unchanged } = await operator.prices.previewFile(file(...good));
  expect(changes.map(({ line, before, after }) => [line, before, after])).toEqual([
    [2, "1.5", "2"],
    [3, null, "0.1"],
  ]);
  expect(unchanged).toBe(1);
  await operator.prices.importFile(file(...good));
  expect(await operator.prices.get({ id: one.id })).toMatchObject({ inputPrice: "2", outputPrice: "3" });
  expect((await operator.prices.get({ id: other.id })).cacheReadPrice).toBe("0.1");
  expect((await changesOf(one.id)).map(({ action }) => action)).toEqual(["model.save", "model.save"]);
});

test("the grid has each price beside list price and cost, and what is sold below cost is told", async () => {
  const model = await gateway.model();
  const channelId = await gateway.channel({ model, baseUrl: "https://vendor.test/v1" });
  await operator.prices.update({ id: model, inputPrice: "1", outputPrice: "2" });
  await operator.prices.setCosts({ channelId, modelId: model, prices: [{ name: "input", price: "1.5" }] });
  const rows = (await operator.prices.grid({})).filter(({ modelId }) => modelId === model);
  expect(rows).toMatchObject([
    { name: "input", price: "1", cost: { price: "1.5" } },
    { name: "output", price: "2", cost: null },
  ]);
  const found = (await operator.prices.list()).models.find(({ id }) => id === model);
  expect(found?.oddities).toEqual(["belowCost"]);
  await operator.prices.set({
    cells: [{ modelId: model, name: "input", price: "3" }],
    beginsAt: "2098-01-01T00:00:00Z",
  });
  const later = await operator.prices.grid({ at: "2098-06-01T00:00:00Z" });
  expect(later.find((row) => row.modelId === model && row.name === "input")?.price).toBe("3");
});

test("what last month's calls would have come to is told by model: classes, units, and videos as they were", async () => {
  const [one, other, unsold] = [chat(), chat(), chat()];
  for (const model of [one, other, unsold]) {
    await operator.prices.create({ ...model, unitPrices: [{ unit: "web_search", price: "0.01" }] });
  }
  const { accountId } = await gateway.customer();
  const period = periodBefore(gateway.runtime.billing.period());
  // 1.5 for a million of input, 3 for output, a hundredth for each search; and of another kind the whole.
  await sqlOf(gateway.runtime.db)`
    insert into ledger_entries
      (id, account_id, period, kind, amount, model_id, prices, input_tokens, cache_read_tokens, output_tokens, units)
    values
      ('e1', ${accountId}, ${period}, 'capture', 4520000000, ${one.id}, '{}', 1000000, 0, 1000000, '{"web_search": 2}'),
      ('e2', ${accountId}, ${period}, 'capture', 1500000000, ${one.id}, '{}', 0, 1000000, 0, null),
      ('e3', ${accountId}, ${period}, 'capture', 500000000, ${other.id}, '{"video": "500000000"}', null, null, null, null),
      ('e4', ${accountId}, ${period}, 'release', 0, ${one.id}, null, 1000000, 0, 0, null)`;
  const cells = [
    { modelId: one.id, name: "input", price: "2" },
    { modelId: one.id, name: "cache_read", price: "0.5" },
    { modelId: one.id, name: "web_search", price: "0.02" },
    { modelId: other.id, name: "input", price: "9" },
    { modelId: unsold.id, name: "input", price: "9" },
  ];
  const estimate = await operator.prices.estimate({ cells });
  expect(estimate.period).toBe(period);
  expect(estimate.models.find(({ modelId }) => modelId === one.id)).toEqual({
    ...{ modelId: one.id, calls: 2, videos: 0 },
    ...{ charged: "6.02", repriced: "5.54", difference: "-0.48" },
  });
  expect(estimate.models.find(({ modelId }) => modelId === other.id)).toMatchObject({
    videos: 1,
    repriced: "0.5",
  });
  expect(estimate.models).toHaveLength(2);
  expect(estimate.total).toEqual({ charged: "6.52", repriced: "6.04", difference: "-0.48" });
  expect((await operator.prices.get({ id: one.id })).inputPrice).toBe("1.5");
});

test("owners can neither see nor set what the operator entered", async () => {
  const { accountId } = await gateway.customer();
  const owner = await callerFor(gateway, { role: "owner", accountId });
  await expect(owner.prices.list()).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(owner.prices.create(chat())).rejects.toMatchObject({ code: "FORBIDDEN" });
});
