import { expect, test } from "vitest";
import { saveCostPrices, saveModel, writeAllBegun } from "@/server/catalog";
import { sqlOf } from "@/server/db/handles";
import type { AccountId, ChannelId } from "@/server/domain/ids";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { newModelId, startGateway, type TestGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { sheetOf } from "@/tests/support/price-sheet";
import { answerWith, startUpstream, usage } from "@/tests/support/upstream";

const ahead = { ms: 0 };
const clock = () => new Date(Date.now() + ahead.ms);
const gateway: TestGateway = perFile(() => startGateway({ clock }));
const upstream = perFile(() => startUpstream(answerWith("All is well.", usage(1_000, 500))));

const operator = perFile(() => callerFor(gateway, { role: "operator" }));

async function newShop(costPrices: Record<string, bigint> | null = null) {
  const modelId = await gateway.model({ id: newModelId() });
  const channelId = await gateway.channel({ model: modelId, baseUrl: upstream.baseUrl });
  if (costPrices) {
    await costs({ channelId, modelId }, costPrices);
  }
  return { modelId, channelId };
}

const buy = async (secret: string, model: string, more: object = {}) => {
  const messages = [{ role: "user", content: "Hello" }];
  const answer = await gateway.chat(secret, { model, messages, ...more });
  expect(answer.status).toBe(200);
  await answer.text();
};

const charges = async (accountId: AccountId) =>
  (
    await sqlOf(gateway.runtime.db)`
      select amount::text from ledger_entries
      where account_id = ${accountId} and kind = 'capture' order by created_at`
  ).map(({ amount }) => amount);

const HOUR = 3_600_000;
const later = (ms: number) => new Date(Date.now() + ms).toISOString();
const input = (modelId: string, price: string | null) => ({ modelId, name: "input", price });

test("a price that begins between two calls is that of the second, without a notice to the process", async () => {
  const { accountId, secret } = await gateway.customer();
  const { modelId } = await newShop();
  await operator.prices.set({ cells: [input(modelId, "3")], beginsAt: later(HOUR) });
  await buy(secret, modelId);
  ahead.ms = 2 * HOUR;
  await buy(secret, modelId);
  await buy(secret, modelId, { stream: true });
  ahead.ms = 0;
  // 1,000 tokens at 1, then at 3, and 500 at 2 per million.
  expect(await charges(accountId)).toEqual(["2000000", "4000000", "4000000"]);
  expect(await gateway.verify()).toEqual([]);
});

test("every price is stored with its period and its author, and a price that has not begun can be withdrawn", async () => {
  const { modelId } = await newShop();
  await operator.prices.update({ id: modelId, inputPrice: "1.5" });
  const beginsAt = later(HOUR);
  await operator.prices.set({ cells: [input(modelId, "2")], beginsAt });
  const rows = await operator.prices.history({ modelId });
  expect(rows.map(({ state, prices }) => [state, prices[0]])).toEqual([
    ["scheduled", { name: "input", price: "2" }],
    ["present", { name: "input", price: "1.5" }],
    ["past", { name: "input", price: "1" }],
  ]);
  expect(rows.map(({ endsAt }) => endsAt)).toEqual([null, rows[0]?.beginsAt, rows[1]?.beginsAt]);
  expect(rows.map(({ enteredBy }) => enteredBy)).toEqual([
    expect.stringContaining("@"),
    expect.stringContaining("@"),
    null,
  ]);
  expect(await operator.prices.scheduled()).toContainEqual(expect.objectContaining({ modelId }));

  await operator.prices.withdraw({ modelId, beginsAt });
  expect((await operator.prices.history({ modelId })).map(({ state }) => state)).toEqual(["present", "past"]);
  await expect(operator.prices.withdraw({ modelId, beginsAt })).rejects.toThrow(
    "has no scheduled price at that time",
  );
});

test("a price that has begun is written to the model once, and does not overtake a later change", async () => {
  const { modelId } = await newShop();
  const { db } = gateway.runtime;
  await operator.prices.set({ cells: [input(modelId, "4")], beginsAt: later(HOUR) });
  // As if the hour had passed.
  await sqlOf(db)`update model_prices set begins_at = now() - interval '1 minute'
    where model_id = ${modelId} and not is_written`;
  expect(await operator.prices.get({ id: modelId })).toMatchObject({ inputPrice: "4" });
  await Promise.all([writeAllBegun(db), writeAllBegun(db)]);
  const [row] = await sqlOf(db)`select input_price::text from models where id = ${modelId}`;
  expect(row).toEqual({ input_price: "4000000000" });
  await operator.prices.update({ id: modelId, inputPrice: "5" });
  await writeAllBegun(db);
  expect(await operator.prices.get({ id: modelId })).toMatchObject({ inputPrice: "5" });
});

test("many prices are set in one transaction or not at all, and a price that someone else changed is refused with its value", async () => {
  const [{ modelId: first }, { modelId: second }] = [await newShop(), await newShop()];
  await saveModel(gateway.runtime.db, { id: second, kind: "chat", isFree: true });
  const cells = [
    { ...input(first, "9"), seen: "1" },
    { ...input(second, "9"), seen: "1" },
  ];
  await expect(operator.prices.set({ cells })).rejects.toThrow(`input of "${second}" is now -`);
  expect(await operator.prices.get({ id: first })).toMatchObject({ inputPrice: "1" });
  await operator.prices.set({ cells: cells.map((cell) => ({ ...cell, seen: undefined })) });
  expect(await operator.prices.get({ id: second })).toMatchObject({ inputPrice: "9", isFree: false });
  await expect(operator.prices.set({ cells: [input(first, "9")] })).rejects.toThrow("already in effect");
  await expect(
    operator.prices.set({ cells: [input(first, "8")], beginsAt: "2020-01-01T00:00:00Z" }),
  ).rejects.toThrow("must start in the future");
});

const commands = commandsOn(() => gateway.databaseUrl);

const UNIT = 1_000_000_000n;

async function costs(at: { channelId: ChannelId; modelId: string }, prices: Record<string, bigint>) {
  await saveCostPrices(gateway.runtime.db, { ...at, prices: sheetOf(prices) });
  gateway.runtime.catalog.forget();
}

const costOfEntries = (accountId: AccountId) =>
  sqlOf(gateway.runtime.db)`
    select model_id, cost::text from ledger_entries
    where account_id = ${accountId} and kind = 'capture' order by created_at`;

type MarginRow = Awaited<ReturnType<typeof operator.prices.margin>>["rows"][number];
const rowOf = (rows: MarginRow[], id: string) => rows.find((row) => row.id === id);

test("each charge has its channel's cost at that time, and none if no cost is known", async () => {
  const { accountId, secret } = await gateway.customer();
  const pricedShop = await newShop({ input: UNIT / 2n, output: (3n * UNIT) / 2n });
  const unknown = await newShop(null);
  await buy(secret, pricedShop.modelId);
  await costs(pricedShop, { input: UNIT });
  await buy(secret, pricedShop.modelId);
  await buy(secret, unknown.modelId);
  expect((await costOfEntries(accountId)).map(({ cost }) => cost)).toEqual(["1250000", "1000000", null]);

  const { rows } = await operator.prices.margin({ by: "account" });
  const sums = { calls: 2, amount: "0.004", cost: "0.00225", margin: "0.00175" };
  expect(rowOf(rows, accountId)).toMatchObject(sums);
  expect(await gateway.verify()).toEqual([]);
});

test("a unit that is not sold has its cost all the same, and a stream costs as much as its whole answer", async () => {
  const { accountId, secret } = await gateway.customer();
  const { modelId } = await newShop({ request: UNIT / 100n });
  await buy(secret, modelId);
  await buy(secret, modelId, { stream: true });
  expect((await costOfEntries(accountId)).map(({ cost }) => cost)).toEqual(["10000000", "10000000"]);
});

test("entered costs are listed with what is sold below them, and an empty list removes them", async () => {
  const { modelId, channelId } = await newShop(null);
  await operator.prices.setCosts({
    channelId,
    modelId,
    prices: [
      { name: "input", price: "0.5" },
      { name: "output", price: "3" },
    ],
  });
  const readCosts = async () =>
    (await operator.prices.costs({ channelId })).find((row) => row.modelId === modelId);
  expect(await readCosts()).toMatchObject({
    prices: [
      { name: "input", price: "0.5" },
      { name: "output", price: "3" },
    ],
    below: ["output"],
  });
  await operator.prices.setCosts({ channelId, modelId, prices: [] });
  expect(await readCosts()).toBeUndefined();
});

/** Falsifies the cost sums of an account. */
const falsifyCosts = (accountId: AccountId, target: TestGateway) =>
  sqlOf(target.runtime.db)`update cost_hours set cost = cost + 7 where account_id = ${accountId}`;

test("a sum of costs that differs from its charges is found and repaired", async () => {
  const { accountId, secret } = await gateway.customer();
  const { modelId } = await newShop({ input: UNIT });
  await buy(secret, modelId);
  await falsifyCosts(accountId, gateway);
  expect(await gateway.verify()).toMatchObject([{ accountId, figure: "cost" }]);
  const repaired = await commands.run("ledger", "repair", "--account", accountId, "--yes");
  expect(repaired.code).toBe(0);
  expect(await gateway.verify()).toEqual([]);
  await sqlOf(gateway.runtime.db)`delete from cost_hours where account_id = ${accountId}`;
  await commands.run("ledger", "repair", "--account", accountId, "--yes");
  expect(await gateway.verify()).toEqual([]);
});
