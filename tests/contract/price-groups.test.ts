/** Prices for accounts of a price group, for each way to spend. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { formatMoney, nanos } from "@/server/base/money";
import { sqlOf } from "@/server/db/handles";
import { callerFor } from "@/tests/support/console";
import { eventually } from "@/tests/support/eventually";
import { startGateway, type TestGateway } from "@/tests/support/gateway";
import { staged } from "@/tests/support/per-file";
import { sleep } from "@/tests/support/until";
import { answerWith, usage } from "@/tests/support/upstream";
import { oneVideoPrice } from "@/tests/support/video-client";

const { gateway, upstream } = staged(answerWith("It floats.", usage(10, 5)));
/** Another process on the same database. */
let other: TestGateway;
let operator: Awaited<ReturnType<typeof callerFor>>;
let model: string;

beforeAll(async () => {
  other = await startGateway({ databaseUrl: gateway.databaseUrl });
  operator = await callerFor(gateway, { role: "operator" });
  model = await gateway.model({ unitPrices: [{ unit: "request", price: nanos(500_000_000n) }] });
  await gateway.channel({ model, baseUrl: upstream.baseUrl });
});
afterAll(() => other.close());

/** 10 tokens in at 1 per million, 5 out at 2, and the price of the request: 0.50002. Then the same, a fifth cheaper. */
const [USUAL, AT_GROUP] = [500_020_000n, 400_016_000n];

let serial = 0;
const newGroup = (terms: { factor: string; models?: { modelId: string; factor: string }[] }) =>
  operator.prices.createGroup({ name: `group-${serial++}`, ...terms });

async function customerIn(priceGroupId: string) {
  const customer = await gateway.customer();
  await operator.accounts.setPriceGroup({ accountId: customer.accountId, priceGroupId });
  return customer;
}

const isRefused = (change: Promise<unknown>, by: object) => expect(change).rejects.toMatchObject(by);

const question = { messages: [{ role: "user", content: "What floats?" }] };

async function amountCharged(
  at: TestGateway,
  { secret, accountId }: Awaited<ReturnType<typeof gateway.customer>>,
) {
  const response = await at.chat(secret, { model, ...question });
  expect(response.status).toBe(200);
  await response.text();
  return (await gateway.entries(accountId))[0]?.amount;
}

test("a group's accounts pay its prices in every process from the first call on, and other accounts do not", async () => {
  const { id } = await newGroup({ factor: "0.8" });
  const customer = await customerIn(id);
  const neighbour = await gateway.customer();
  expect([await amountCharged(other, customer), await amountCharged(gateway, customer)]).toEqual([
    AT_GROUP,
    AT_GROUP,
  ]);
  expect([await amountCharged(other, neighbour), await amountCharged(gateway, neighbour)]).toEqual([
    USUAL,
    USUAL,
  ]);
  expect(await gateway.verify()).toEqual([]);
});

test("the list of models shows a group's key the prices that it pays", async () => {
  const { id } = await newGroup({ factor: "0.8" });
  const priced = async ({ secret }: { secret: string }) => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await fetch(`${gateway.url}/v1/models/${model}`, { headers });
    return ((await response.json()) as { pricing: object }).pricing;
  };
  const pricing = { prompt: "0.0000008", completion: "0.0000016", request: "0.4" };
  expect(await priced(await customerIn(id))).toMatchObject(pricing);
  expect(await priced(await gateway.customer())).toMatchObject({ prompt: "0.000001", request: "0.5" });
});

test("a changed group, a model's own factor and leaving a group take effect within a second", async () => {
  const { id } = await newGroup({ factor: "0.8" });
  const customer = await customerIn(id);
  const both = async () => [await amountCharged(gateway, customer), await amountCharged(other, customer)];
  const until = (amount: bigint) => eventually(both, 1_500).toEqual([amount, amount]);
  await until(AT_GROUP);
  await operator.prices.updateGroup({ priceGroupId: id, factor: "2" });
  await until(USUAL * 2n);
  await operator.prices.updateGroup({ priceGroupId: id, models: [{ modelId: model, factor: "0.5" }] });
  await until(USUAL / 2n);
  await operator.accounts.setPriceGroup({ accountId: customer.accountId, priceGroupId: null });
  await until(USUAL);
});

test("frozen and reported amounts are at the group's prices, in a stream too", async () => {
  const { id } = await newGroup({ factor: "0.8" });
  const { secret, accountId } = await customerIn(id);
  const response = await gateway.chat(secret, { model, ...question, stream: true, usage: { include: true } });
  const text = await response.text();
  expect([...text.matchAll(/"cost":([\d.]+)/g)].map(([, cost]) => cost)).toEqual(["0.400016"]);
  expect((await gateway.entries(accountId))[0]).toMatchObject({ amount: AT_GROUP });
});

test("an account is admitted or refused by its group's prices, not by the usual ones", async () => {
  const [cheap, dear] = [await newGroup({ factor: "0.1" }), await newGroup({ factor: "100" })];
  for (const { quota, group, statuses } of [
    { quota: "0.06", group: cheap, statuses: [402, 200] },
    { quota: "10", group: dear, statuses: [200, 402] },
  ]) {
    const { accountId, secret } = await gateway.customer({ quota });
    const statusOf = async () => (await gateway.chat(secret, { model, ...question, max_tokens: 10 })).status;
    expect(await statusOf()).toBe(statuses[0]);
    await operator.accounts.setPriceGroup({ accountId, priceGroupId: group.id });
    await eventually(statusOf, 1_500).toBe(statuses[1]);
  }
});

test("no account is charged another's price while a process does not know its group", async () => {
  const customer = await gateway.customer();
  await amountCharged(gateway, customer);
  // As after a restart from an old replica of the catalog: the account's row has the group, and no list has it.
  const sql = sqlOf(gateway.runtime.db);
  await sql`insert into price_groups (id, name, factor) values ('pgr_late', 'late', 800000)`;
  await operator.accounts.setPriceGroup({ accountId: customer.accountId, priceGroupId: "pgr_late" });
  await eventually(() => amountCharged(gateway, customer), 1_500).toBe(AT_GROUP);
  expect(await amountCharged(other, customer)).toBe(AT_GROUP);
});

test("a running call keeps its price when its account leaves the group and the group is removed", async () => {
  const { id } = await newGroup({ factor: "0.8" });
  const customer = await customerIn(id);
  const { accountId, secret } = customer;
  await amountCharged(gateway, customer);
  const { readable, writable } = new TransformStream<Uint8Array>();
  const writer = writable.getWriter();
  const body = new TextEncoder().encode(JSON.stringify({ model, ...question }));
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  const init = { method: "POST", headers, body: readable, duplex: "half" } as RequestInit;
  const call = fetch(`${gateway.url}/v1/chat/completions`, init);
  await writer.write(body.slice(0, 20));
  // The gateway has identified the account by then.
  await sleep(500);
  await operator.accounts.setPriceGroup({ accountId, priceGroupId: null });
  await operator.prices.removeGroup({ priceGroupId: id });
  await sleep(500);
  await writer.write(body.slice(20));
  await writer.close();
  expect((await call).status).toBe(200);
  expect((await gateway.entries(accountId)).map(({ amount }) => amount)).toEqual([AT_GROUP, AT_GROUP]);
});

test("a group can be chosen by its name, and a concurrent removal of it is no internal error", async () => {
  const { id, name } = await newGroup({ factor: "0.8" });
  const { accountId } = await gateway.customer();
  await operator.accounts.setPriceGroup({ accountId, priceGroupId: name });
  expect((await operator.accounts.get({ accountId })).priceGroupId).toBe(id);
  await operator.accounts.setPriceGroup({ accountId, priceGroupId: null });
  const results = await Promise.allSettled([
    operator.prices.removeGroup({ priceGroupId: id }),
    operator.accounts.setPriceGroup({ accountId, priceGroupId: id }),
  ]);
  for (const result of results) {
    expect(result).not.toMatchObject({ reason: { code: "INTERNAL_SERVER_ERROR" } });
  }
  for (const usedName of ["none", id]) {
    await isRefused(operator.prices.createGroup({ name: usedName, factor: "1" }), { code: "BAD_REQUEST" });
  }
});

test("a group that accounts use is not removed, and a name is not taken twice", async () => {
  const first = await newGroup({ factor: "0.8" });
  const { accountId } = await customerIn(first.id);
  const remove = () => operator.prices.removeGroup({ priceGroupId: first.id });
  const because = (reason: string) => ({ cause: { reason } });
  await isRefused(remove(), because("priceGroupInUse"));
  const again = { name: first.name, factor: "1" };
  await isRefused(operator.prices.createGroup(again), because("priceGroupNameTaken"));
  for (const factor of ["0", "-1", "1000.1", "1e3", "0.0000001", ""]) {
    await isRefused(newGroup({ factor }), { code: "BAD_REQUEST" });
  }
  const models = [{ modelId: "nobody-knows", factor: "2" }];
  await isRefused(newGroup({ factor: "1", models }), because("modelUnknown"));
  await operator.accounts.setPriceGroup({ accountId, priceGroupId: null });
  await remove();
  const late = operator.accounts.setPriceGroup({ accountId, priceGroupId: first.id });
  await isRefused(late, because("priceGroupUnknown"));
});

test("a group that sells a model below its cost names the model, and the model shows it once an account pays so", async () => {
  const own = await gateway.model();
  const channelId = await gateway.channel({ model: own, baseUrl: upstream.baseUrl });
  await operator.prices.setCosts({ channelId, modelId: own, prices: [{ name: "input", price: "0.01" }] });
  const oddities = async () =>
    (await operator.prices.list()).models.find(({ id }) => id === own)?.oddities ?? [];
  expect(await oddities()).toEqual([]);
  const { id } = await newGroup({ factor: "1", models: [{ modelId: own, factor: "0.0099" }] });
  const made = (await operator.prices.groups()).find((group) => group.id === id);
  expect(made).toMatchObject({ factor: "1", models: [{ modelId: own, factor: "0.0099" }], accounts: 0 });
  // At factor 1 the list also names the models of other tests that are sold below their cost.
  expect(made?.belowCost).toContain(own);
  expect(await oddities()).toEqual([]);
  await customerIn(id);
  expect(await oddities()).toEqual(["belowCost"]);
});

test("a video is frozen and paid at the group's price", async () => {
  const video = await gateway.model({ kind: "video", videoPrices: oneVideoPrice("0.5") });
  const models = { [video]: "sandbox-video-turbo" };
  await gateway.channel({ model: video, baseUrl: upstream.baseUrl, dialect: "sandbox", models });
  const { id } = await newGroup({ factor: "0.8" });
  const { secret, accountId } = await customerIn(id);
  const submitted = await gateway.post(secret, "videos/generations", { model: video, prompt: "A boat" });
  expect(submitted.status).toBe(202);
  const { frozen, used } = await gateway.balance(accountId);
  expect(formatMoney(nanos(frozen + used))).toBe("0.4");
});
