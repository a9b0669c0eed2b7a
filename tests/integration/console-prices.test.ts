import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { sqlOf } from "@/server/db/handles";
import { periodBefore } from "@/server/domain/period";
import { callerFor } from "@/tests/support/console";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";

const gateway = perFile(() => startGateway());
const operator = perFile(() => callerFor(gateway, { role: "operator" }));

const chat = () => ({
  id: `org/model-${randomUUID()}`,
  kind: "chat" as const,
  inputPrice: "1.5",
  outputPrice: "3",
});

const changesOf = async (targetId: string) =>
  (await listChanges(gateway.runtime.db, { targetId }, { limit: 50 })).rows;

test("the price list names what is odd about models on sale, and nothing about other models", async () => {
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

test("a file with a wrong line changes nothing, and a correct file changes all its models, with an entry for each", async () => {
  const [first, second] = [chat(), chat()];
  await operator.prices.create(first);
  await operator.prices.create(second);
  const file = (...lines: string[]) => ({ csv: ["model,price_of,price,begins_at", ...lines].join("\n") });
  const good = [
    `${first.id},input,2,`,
    `${second.id},cache_read,0.1,`,
    `${second.id},input,1.5,2098-01-01T00:00:00Z`,
  ];
  await expect(operator.prices.importFile(file(...good, "unheard-of,input,1,"))).rejects.toMatchObject({
    cause: { reason: "priceFileInvalid", values: { count: 1, line: 5 } },
  });
  expect((await operator.prices.get({ id: first.id })).inputPrice).toBe("1.5");
  const { changes, unchanged } = await operator.prices.previewFile(file(...good));
  expect(changes.map(({ line, before, after }) => [line, before, after])).toEqual([
    [2, "1.5", "2"],
    [3, null, "0.1"],
  ]);
  expect(unchanged).toBe(1);
  await operator.prices.importFile(file(...good));
  expect(await operator.prices.get({ id: first.id })).toMatchObject({ inputPrice: "2", outputPrice: "3" });
  expect((await operator.prices.get({ id: second.id })).cacheReadPrice).toBe("0.1");
  expect((await changesOf(first.id)).map(({ action }) => action)).toEqual(["model.save", "model.save"]);
});

test("an estimate reprices last month's calls by model: token classes and units at the new prices, and videos as charged", async () => {
  const [first, second, unsold] = [chat(), chat(), chat()];
  for (const model of [first, second, unsold]) {
    await operator.prices.create({ ...model, unitPrices: [{ unit: "web_search", price: "0.01" }] });
  }
  const { accountId } = await gateway.customer();
  const period = periodBefore(gateway.runtime.billing.period());
  // 1.5 for a million tokens of input, 3 for output, 0.01 for each search; of another kind the whole amount.
  await sqlOf(gateway.runtime.db)`
    insert into ledger_entries
      (id, account_id, period, kind, amount, model_id, prices, input_tokens, cache_read_tokens, output_tokens, units)
    values
      ('e1', ${accountId}, ${period}, 'capture', 4520000000, ${first.id}, '{}', 1000000, 0, 1000000, '{"web_search": 2}'),
      ('e2', ${accountId}, ${period}, 'capture', 1500000000, ${first.id}, '{}', 0, 1000000, 0, null),
      ('e3', ${accountId}, ${period}, 'capture', 500000000, ${second.id}, '{"video": "500000000"}', null, null, null, null),
      ('e4', ${accountId}, ${period}, 'release', 0, ${first.id}, null, 1000000, 0, 0, null)`;
  const cells = [
    { modelId: first.id, name: "input", price: "2" },
    { modelId: first.id, name: "cache_read", price: "0.5" },
    { modelId: first.id, name: "web_search", price: "0.02" },
    { modelId: second.id, name: "input", price: "9" },
    { modelId: unsold.id, name: "input", price: "9" },
  ];
  const estimate = await operator.prices.estimate({ cells });
  expect(estimate.period).toBe(period);
  expect(estimate.models.find(({ modelId }) => modelId === first.id)).toEqual({
    ...{ modelId: first.id, calls: 2, videos: 0 },
    ...{ charged: "6.02", repriced: "5.54", difference: "-0.48" },
  });
  expect(estimate.models.find(({ modelId }) => modelId === second.id)).toMatchObject({
    videos: 1,
    repriced: "0.5",
  });
  expect(estimate.models).toHaveLength(2);
  expect(estimate.total).toEqual({ charged: "6.52", repriced: "6.04", difference: "-0.48" });
  expect((await operator.prices.get({ id: first.id })).inputPrice).toBe("1.5");
});
