import { expect, test } from "vitest";
import type { AccountId, ChannelId } from "@/server/base/ids";
import { nanos } from "@/server/base/money";
import { saveCostPrices } from "@/server/catalog";
import { sqlOf } from "@/server/db/handles";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { newModelId, startGateway, type TestGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { answerWith, startUpstream, usage } from "@/tests/support/upstream";

const gateway = perFile(() => startGateway());
const upstream = perFile(() => startUpstream(answerWith("All is well.", usage(1_000, 500))));
const commands = commandsOn(() => gateway.databaseUrl);

const UNIT = 1_000_000_000n;

const operator = perFile(() => callerFor(gateway, { role: "operator" }));

async function costs(at: { channelId: ChannelId; modelId: string }, prices: Record<string, bigint>) {
  const entered = Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, nanos(price)]));
  await saveCostPrices(gateway.runtime.db, { ...at, prices: entered });
  gateway.runtime.catalog.forget();
}

async function shop(prices: Record<string, bigint> | null) {
  const modelId = await gateway.model({ id: newModelId() });
  const channelId = await gateway.channel({ model: modelId, baseUrl: upstream.baseUrl });
  if (prices) {
    await costs({ channelId, modelId }, prices);
  }
  return { modelId, channelId };
}

const buy = async (secret: string, model: string, more: object = {}) => {
  const messages = [{ role: "user", content: "Hello" }];
  const answer = await gateway.chat(secret, { model, messages, ...more });
  expect(answer.status).toBe(200);
  await answer.text();
};

const costOfEntries = (accountId: AccountId) =>
  sqlOf(gateway.runtime.db)`
    select model_id, cost::text from ledger_entries
    where account_id = ${accountId} and kind = 'capture' order by created_at`;

type Row = Awaited<ReturnType<typeof operator.prices.margin>>["rows"][number];
const rowOf = (rows: Row[], id: string) => rows.find((row) => row.id === id);

test("each charge knows what its channel costs at that time, and nobody's word is no cost", async () => {
  const { accountId, secret } = await gateway.customer();
  const known = await shop({ input: UNIT / 2n, output: (3n * UNIT) / 2n });
  const unknown = await shop(null);
  await buy(secret, known.modelId);
  await costs(known, { input: UNIT });
  await buy(secret, known.modelId);
  await buy(secret, unknown.modelId);
  expect((await costOfEntries(accountId)).map(({ cost }) => cost)).toEqual(["1250000", "1000000", null]);

  const { rows } = await operator.prices.margin({ by: "account" });
  expect(rowOf(rows, accountId)).toMatchObject({
    calls: 2,
    amount: "0.004",
    cost: "0.00225",
    margin: "0.00175",
  });
  expect(await gateway.verify()).toEqual([]);
});

test("what is not sold by a unit costs it all the same, and a stream costs what its whole answer does", async () => {
  const { accountId, secret } = await gateway.customer();
  const { modelId } = await shop({ request: UNIT / 100n });
  await buy(secret, modelId);
  await buy(secret, modelId, { stream: true });
  expect((await costOfEntries(accountId)).map(({ cost }) => cost)).toEqual(["10000000", "10000000"]);
});

test("what is entered is listed with what of it is sold for less; nothing at all takes it away", async () => {
  const { modelId, channelId } = await shop(null);
  await operator.prices.setCosts({
    channelId,
    modelId,
    prices: [
      { name: "input", price: "0.5" },
      { name: "output", price: "3" },
    ],
  });
  const of = async () => (await operator.prices.costs({ channelId })).find((row) => row.modelId === modelId);
  expect(await of()).toMatchObject({
    prices: [
      { name: "input", price: "0.5" },
      { name: "output", price: "3" },
    ],
    below: ["output"],
  });
  await operator.prices.setCosts({ channelId, modelId, prices: [] });
  expect(await of()).toBeUndefined();
});

/** The sums of an account's costs, as if something had gone wrong with them. */
const spoil = (accountId: AccountId, of: TestGateway) =>
  sqlOf(of.runtime.db)`update cost_hours set cost = cost + 7 where account_id = ${accountId}`;

test("a sum of costs that is not what its charges say is found, and repaired", async () => {
  const { accountId, secret } = await gateway.customer();
  const { modelId } = await shop({ input: UNIT });
  await buy(secret, modelId);
  await spoil(accountId, gateway);
  expect(await gateway.verify()).toMatchObject([{ accountId, figure: "cost" }]);
  const repaired = await commands.run("ledger", "repair", "--account", accountId, "--yes");
  expect(repaired.code).toBe(0);
  expect(await gateway.verify()).toEqual([]);
  await sqlOf(gateway.runtime.db)`delete from cost_hours where account_id = ${accountId}`;
  await commands.run("ledger", "repair", "--account", accountId, "--yes");
  expect(await gateway.verify()).toEqual([]);
});
