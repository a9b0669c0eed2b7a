/** A vendor's models are listed, and put on sale in one change. */
import { expect, test } from "vitest";
import { listChanges } from "@/server/audit";
import { newManager } from "@/tests/support/admin-api";
import { commandsOn } from "@/tests/support/command";
import { callerFor } from "@/tests/support/console";
import { startGateway } from "@/tests/support/gateway";
import { perFile } from "@/tests/support/per-file";
import { answerWith, sendJson, startUpstream, type UpstreamHandler } from "@/tests/support/upstream";

const env = { CURRENCY: "USD" };
const gateway = perFile(() => startGateway({ env }));
const commands = commandsOn(() => gateway.databaseUrl, env);

/** A vendor with these models. */
const vendorOf =
  (names: string[]): UpstreamHandler =>
  (call, response, request) =>
    call.path === "/v1/models"
      ? sendJson(response, 200, { object: "list", data: names.map((id) => ({ id, object: "model" })) })
      : answerWith("All is well.")(call, response, request);
const usual = [
  "gpt-4.1",
  "gpt-4.1-2025-04-14",
  "gpt-4.1-mini",
  "text-embedding-3-small",
  "gpt-realtime",
  "gpt-of-tomorrow",
];
const vendor = perFile(() => startUpstream(vendorOf(usual)));

const operator = () => callerFor(gateway, { role: "operator" });
const secret = "sk-proj-sales-1234567890";
const source = () => ({ vendor: "openai", baseUrl: vendor.baseUrl, secret });

test("a vendor's models are listed with kind, limits and list price, without those that no call reaches", async () => {
  const { offers, failure, currency, list } = await (await operator()).channels.offersOfVendor(source());
  expect(failure).toBeNull();
  expect([currency, list?.currency]).toEqual(["USD", "USD"]);
  expect(offers.map(({ modelId, kind, isSnapshot }) => [modelId, kind, isSnapshot])).toEqual([
    ["gpt-4.1", "chat", false],
    ["gpt-4.1-2025-04-14", "chat", true],
    ["gpt-4.1-mini", "chat", false],
    ["text-embedding-3-small", "embedding", false],
    ["gpt-of-tomorrow", "chat", false],
  ]);
  expect(offers[0]).toMatchObject({
    ...{ stand: "new", isServed: false, contextWindow: 1_047_576, maxOutputTokens: 32_768, prices: [] },
    listPrices: [
      { name: "input", price: "2" },
      { name: "output", price: "8" },
      { name: "cache_read", price: "0.5" },
    ],
  });
  expect(offers[4]?.listPrices).toEqual([]);
  expect(vendor.requests.at(-1)?.headers.authorization).toBe(`Bearer ${secret}`);
});

test("one change adds the channel, models at list price plus 20 % and costs, and a customer's call is charged", async () => {
  const caller = await operator();
  const models = [{ upstreamName: "gpt-4.1" }, { upstreamName: "gpt-of-tomorrow" }];
  const sale = await caller.channels.open({
    vendor: "openai",
    baseUrl: vendor.baseUrl,
    secrets: [secret],
    models,
  });
  expect(sale).toEqual({
    channelId: expect.any(String),
    ...{ channel: "OpenAI", onSale: ["gpt-4.1"], unpriced: ["gpt-of-tomorrow"] },
  });
  expect(await caller.prices.get({ id: "gpt-4.1" })).toMatchObject({
    ...{ ownedBy: "openai", maxOutputTokens: 32_768, contextWindow: 1_047_576 },
    ...{ inputPrice: "2.4", outputPrice: "9.6", cacheReadPrice: "0.6" },
  });
  const [costs] = await caller.prices.costs({ channelId: sale.channelId });
  expect(costs).toMatchObject({ modelId: "gpt-4.1", below: [] });
  expect(costs?.prices[0]).toEqual({ name: "input", price: "2" });
  const { rows } = await listChanges(gateway.runtime.db, {}, { limit: 5 });
  expect(rows.map(({ action, targetName }) => `${action} ${targetName}`).sort()).toEqual([
    "channel.create OpenAI",
    "channel.sell OpenAI",
    "cost.set OpenAI",
    "model.save gpt-4.1",
    "model.save gpt-of-tomorrow",
  ]);
  expect(JSON.stringify(rows)).not.toContain(secret);

  const customer = await gateway.customer();
  const answer = await gateway.chat(customer.secret, {
    model: "gpt-4.1",
    messages: [{ role: "user", content: "Hello" }],
  });
  expect(answer.status).toBe(200);
});

test("a sale that a later model refuses leaves no channel, no model and no cost (a half-made channel sold nothing)", async () => {
  const caller = await operator();
  await caller.prices.create({ id: "zz-taken", kind: "embedding", inputPrice: "1" });
  const before = await listChanges(gateway.runtime.db, {}, { limit: 50 });
  const models = [{ upstreamName: "gpt-4.1-mini" }, { upstreamName: "zz-taken", kind: "chat" as const }];
  const settings = { name: "half", vendor: "openai", baseUrl: vendor.baseUrl, secrets: [secret] };
  await expect(caller.channels.open({ ...settings, models })).rejects.toMatchObject({
    cause: { reason: "modelKindFixed" },
  });
  expect((await caller.channels.list()).filter(({ name }) => name === "half")).toEqual([]);
  expect(await listChanges(gateway.runtime.db, {}, { limit: 50 })).toEqual(before);
});

test("a model on sale keeps its price, and a new channel of it gets its own cost", async () => {
  const caller = await operator();
  const models = [{ upstreamName: "gpt-4.1" }];
  const settings = {
    vendor: "openai",
    baseUrl: vendor.baseUrl,
    secrets: [secret],
    costFactor: "0.6",
    priceFactor: "9",
  };
  const sale = await caller.channels.open({ ...settings, models });
  expect(sale.channel).toBe("OpenAI 2");
  expect(await caller.prices.get({ id: "gpt-4.1" })).toMatchObject({ inputPrice: "2.4" });
  const [costs] = await caller.prices.costs({ channelId: sale.channelId });
  expect(costs?.prices[0]).toEqual({ name: "input", price: "1.2" });
});

test("a channel's vendor has three new models and lost one; one change sells the new and drops the lost", async () => {
  const caller = await operator();
  const own = await startUpstream(vendorOf(["gpt-4o", "gpt-4o-mini"]));
  const settings = { name: "changing", vendor: "openai", baseUrl: own.baseUrl, secrets: [secret] };
  const { channelId } = await caller.channels.open({
    ...settings,
    models: [{ upstreamName: "gpt-4o" }, { upstreamName: "gpt-4o-mini", modelId: "small" }],
  });
  own.answer(vendorOf(["gpt-4o-mini", "o3", "o3-mini", "o4-mini"]));
  const { offers, gone } = await caller.channels.offersOfChannel({ channelId });
  expect(gone).toEqual(["gpt-4o"]);
  const fresh = offers.filter(({ isServed }) => !isServed);
  expect(fresh.map(({ upstreamName }) => upstreamName)).toEqual(["o3", "o3-mini", "o4-mini"]);
  expect(offers[0]).toMatchObject({ modelId: "small", isServed: true, stand: "onSale" });
  const models = fresh.map(({ upstreamName }) => ({ upstreamName }));
  const sale = await caller.channels.sell({ channelId, models, drops: gone });
  expect(sale.onSale).toEqual(["o3", "o3-mini", "o4-mini"]);
  const { models: served } = await caller.channels.get({ channelId });
  expect(served.map(({ modelId }) => modelId)).toEqual(["o3", "o3-mini", "o4-mini", "small"]);

  own.answer((_, response) => sendJson(response, 503, { error: { message: "closed" } }));
  const closed = await caller.channels.offersOfChannel({ channelId });
  expect([closed.gone, closed.failure?.status]).toEqual([[], 503]);
  await own.close();
});

test.each([
  { doing: "refuses the key and echoes it", status: 401, body: { error: { message: `bad key ${secret}` } } },
  { doing: "answers something else", status: 200, body: { hello: "world" }, reason: "malformed" },
  { doing: "redirects to another host", status: 302, body: {} },
])(
  "a vendor that $doing is a failure in its words, without the credential",
  async ({ reason = "refused", ...answer }) => {
    const own = await startUpstream((_, response) => {
      response.setHeader("location", vendor.baseUrl);
      sendJson(response, answer.status, answer.body);
    });
    const asked = vendor.requests.length;
    const caller = await operator();
    const { offers, failure } = await caller.channels.offersOfVendor({ ...source(), baseUrl: own.baseUrl });
    expect([offers, failure?.reason]).toEqual([[], reason]);
    expect(failure?.message).not.toContain(secret);
    expect(vendor.requests.length).toBe(asked);
    await own.close();
  },
);

test("a vendor's words and a customer's name of a key are no commands to an operator's terminal", async () => {
  const title = "\u001b]0;owned\u0007";
  const own = await startUpstream((_, response) =>
    sendJson(response, 401, { error: { message: `${title}no` } }),
  );
  const { err } = await commands.run(
    ...["channel", "sell", "--vendor", "openai", "--base-url", own.baseUrl, "--secret", secret],
  );
  await own.close();
  expect(err).toContain(" ]0;owned no");
  expect(err).not.toContain("\u001b");
  const { accountId } = await gateway.customer({ quota: "1" });
  const owner = await callerFor(gateway, { role: "owner", accountId });
  await owner.keys.create({ name: `${title}mine` });
  const { out } = await commands.run("key", "list", "--account", accountId);
  expect(out).toContain("\ufffd]0;owned\ufffdmine");
});

test("a vendor without a list takes names, and gives them what is known", async () => {
  const azure = { vendor: "azure-openai", baseUrl: "https://x.openai.azure.com/openai/v1", secret };
  const caller = await operator();
  expect(await caller.channels.offersOfVendor(azure)).toMatchObject({
    offers: [],
    failure: { reason: "none" },
  });
  const { offers, failure } = await caller.channels.offersOfVendor({
    ...azure,
    names: ["gpt-4.1-nano", "my-own"],
  });
  expect(failure).toBeNull();
  expect(offers.map(({ modelId, listPrices }) => [modelId, listPrices[0]?.price])).toEqual([
    ["gpt-4.1-nano", "0.1"],
    ["my-own", undefined],
  ]);
});

test("an address that is none, and a factor that makes a price a million, are refused in words", async () => {
  const caller = await operator();
  const settings = { vendor: "openai", secrets: [secret], models: [{ upstreamName: "o1-pro" }] };
  const nowhere = { ...settings, vendor: null, dialect: "openai" as const, baseUrl: "gateway" };
  await expect(caller.channels.open(nowhere)).rejects.toMatchObject({ cause: { reason: "baseUrlInvalid" } });
  for (const factor of [{ priceFactor: "9999" }, { costFactor: "9999" }]) {
    const sale = caller.channels.open({ ...settings, ...factor });
    await expect(sale).rejects.toMatchObject({ cause: { reason: "factorTooHigh" } });
  }
});

test("of a list with more models than any vendor has, the first are offered", async () => {
  const names = Array.from({ length: 200_000 }, (_, index) => `gpt-${index}`);
  const own = await startUpstream(vendorOf(names));
  const caller = await operator();
  const { offers, failure } = await caller.channels.offersOfVendor({ ...source(), baseUrl: own.baseUrl });
  expect([offers.length, failure]).toEqual([5_000, null]);
  await own.close();
});

test("a list in another currency needs the rate, and prices and costs are converted at it", async () => {
  const caller = await operator();
  const settings = {
    name: "qwen",
    vendor: "dashscope",
    secrets: [secret],
    models: [{ upstreamName: "qwen-max" }],
  };
  await expect(caller.channels.open(settings)).rejects.toMatchObject({
    cause: { reason: "priceListCurrency" },
  });
  const { channelId } = await caller.channels.open({ ...settings, rate: "0.14", priceFactor: "2" });
  expect(await caller.prices.get({ id: "qwen-max" })).toMatchObject({
    inputPrice: "0.672",
    ownedBy: "dashscope",
  });
  const [costs] = await caller.prices.costs({ channelId });
  expect(costs?.prices[0]).toEqual({ name: "input", price: "0.336" });
});

test("each model on sale names its maker, whatever the vendor's path and preset are", async () => {
  const caller = await operator();
  const sold = async (vendorId: string, upstreamNames: string[]) => {
    const models = upstreamNames.map((upstreamName) => ({
      upstreamName,
      modelId: `${vendorId}:${upstreamName}`,
    }));
    const baseUrl = vendor.baseUrl;
    await caller.channels.open({ name: vendorId, vendor: vendorId, baseUrl, secrets: [secret], models });
    const saved = models.map(({ modelId }) => caller.prices.get({ id: modelId }));
    return (await Promise.all(saved)).map(({ ownedBy }) => ownedBy);
  };
  // The first parts of these paths were their owners.
  expect(await sold("fireworks", ["accounts/fireworks/models/deepseek-v3p2"])).toEqual(["fireworks"]);
  expect(await sold("siliconflow-intl", ["Pro/zai-org/GLM-4.7", "openai/gpt-oss-20b"])).toEqual([
    ...["zai-org", "openai"],
  ]);
  expect(await sold("moonshot-intl-anthropic", ["kimi-k2.6", "kimi-of-tomorrow"])).toEqual([
    ...["moonshot", "moonshot"],
  ]);
  // A vendor's own models, and another maker's.
  expect(await sold("dashscope-intl", ["qwen-of-tomorrow", "kimi-k2.6"])).toEqual(["dashscope", "moonshot"]);

  // The presets of one vendor share its list.
  const grid = await caller.prices.grid({});
  const listed = grid.find(
    ({ modelId, name }) => modelId.endsWith("anthropic:kimi-k2.6") && name === "input",
  );
  expect(listed?.list).toMatchObject({ vendor: "moonshot-intl", price: "0.95" });
});

test("the command and the admin API list and sell the same", async () => {
  const flags = ["--vendor", "openai", "--base-url", vendor.baseUrl, "--secret", secret];
  const listed = await commands.json<{ offers: { model_id: string }[] }>("channel", "offers", ...flags);
  const manager = await newManager(gateway);
  const answer = await manager("POST /offers", { vendor: "openai", base_url: vendor.baseUrl, secret });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject(listed);
  const sold = await commands.json("channel", "sell", ...flags, "--name", "by command", "--factor", "1.3");
  expect(sold).toMatchObject({
    on_sale: ["gpt-4.1", "gpt-4.1-mini", "text-embedding-3-small"],
    unpriced: [],
  });
  const sale = await manager("POST /sales", {
    ...{ name: "by api", vendor: "openai", base_url: vendor.baseUrl, secrets: [secret] },
    models: [{ upstream_name: "gpt-4.1-nano", prices: [{ name: "input", price: "7" }] }],
  });
  expect([sale.status, sale.body.on_sale]).toEqual([201, ["gpt-4.1-nano"]]);
  expect(await (await operator()).prices.get({ id: "gpt-4.1-nano" })).toMatchObject({ inputPrice: "7" });
});
