import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { periodBefore } from "@/server/base/period";
import { sqlOf } from "@/server/db/handles";
import { priceFileQueries } from "@/server/queries";
import { callerFor } from "@/tests/support/console";
import type { TestGateway } from "@/tests/support/gateway";
import { startGateway } from "@/tests/support/gateway";

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
