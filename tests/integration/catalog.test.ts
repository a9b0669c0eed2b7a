import { expect, test } from "vitest";
import { nanos } from "@/server/base/money";
import { createVault } from "@/server/base/vault";
import {
  findUnpriced,
  getModel,
  isUnpriced,
  listCatalog,
  type ModelChange,
  saveModel,
} from "@/server/catalog";
import { addChannel, findServedModels, setChannelEnabled } from "@/server/channels";
import { openDatabase } from "@/server/db";
import { byField, emptySheet } from "@/server/pricing";
import { freshDatabase } from "@/tests/support/database";
import { perFile } from "@/tests/support/per-file";
import { pricesIn, sheetOf } from "@/tests/support/price-sheet";
import { expectRefused } from "@/tests/support/refusal";

const db = perFile(async () => openDatabase(await freshDatabase()));

const stored = async (id: string) => pricesIn((await getModel(db, id)).prices);

let serial = 0;
async function model(change: Partial<ModelChange> = {}): Promise<string> {
  const id = `model-${serial++}`;
  await saveModel(db, { id, kind: "chat", inputPrice: nanos(3n), outputPrice: nanos(6n), ...change });
  return id;
}

async function video(change: Partial<ModelChange>): Promise<string> {
  const none = { inputPrice: nanos(0n), outputPrice: nanos(0n) };
  return await model({ kind: "video", ...none, ...change });
}

test("an inherited price stays visible as such, can be set, and can be inherited again", async () => {
  const id = await model({ cacheReadPrice: nanos(1n) });
  expect(await stored(id)).toEqual({ input: 3n, output: 6n, cache_read: 1n });

  const set = await saveModel(db, { id, kind: "chat", cacheReadPrice: null, cacheWritePrice: nanos(0n) });
  const charged = { input: 3n, output: 6n, cacheRead: 3n, cacheWrite: 0n, cacheWrite1h: 0n };
  expect(byField(set.prices)).toEqual(charged);
  expect(await stored(id)).toEqual({ input: 3n, output: 6n, cache_write: 0n });
});

test("a saved change leaves the members of a model that it does not name", async () => {
  const id = await model({ ownedBy: "acme", isEnabled: false, maxOutputTokens: 77 });
  const before = await getModel(db, id);
  await saveModel(db, { id, kind: "chat", outputPrice: nanos(9n) });
  const prices = sheetOf({ input: 3n, output: 9n });
  expect(await getModel(db, id)).toEqual({ ...before, prices });
  await saveModel(db, { id, kind: "chat", isEnabled: true });
  expect(await getModel(db, id)).toEqual({ ...before, prices, isEnabled: true });
});

test("a new model without an owner gets its maker, and a known one keeps its owner (a form began with `tollgate`)", async () => {
  const ownerOf = async (id: string, ownedBy?: string) =>
    (await saveModel(db, { id, kind: "chat", inputPrice: nanos(1n), ownedBy })).ownedBy;
  expect(await ownerOf("claude-haiku-4-5")).toBe("anthropic");
  expect(await ownerOf("our-very-own")).toBe("tollgate");
  expect(await ownerOf("gpt-4.1-mini", "us")).toBe("us");
  expect(await ownerOf("gpt-4.1-mini")).toBe("us");
});

test("a model's kind is fixed, so that a slip does not take it out of service", async () => {
  const id = await model();
  await expectRefused(saveModel(db, { id, kind: "embedding", inputPrice: nanos(1n) }), "modelKindFixed");
  expect(await getModel(db, id)).toMatchObject({ kind: "chat", prices: sheetOf({ input: 3n, output: 6n }) });
});

test("a grid of video prices is replaced as a whole: an empty grid sells nothing, and an absent one changes nothing", async () => {
  const price = (durationSeconds: number, resolution: string, amount: bigint) => ({
    durationSeconds,
    resolution,
    price: nanos(amount),
  });
  const id = await video({ videoPrices: [price(5, "720p", 5n), price(10, "720p", 9n)] });
  const save = (change: Partial<ModelChange>) => saveModel(db, { id, kind: "video", ...change });
  expect((await save({ isEnabled: false })).prices.size).toBe(2);
  const replaced = await save({ videoPrices: [price(15, "1080p", 0n)] });
  expect(pricesIn(replaced.prices)).toEqual({ "video:15:1080p": 0n });
  expect((await save({ videoPrices: [] })).prices.size).toBe(0);
  expect((await getModel(db, id)).prices.size).toBe(0);
});

test.each([
  ["a price below zero", { inputPrice: nanos(-1n) }, "inputPrice"],
  ["a price beyond bounds", { cacheReadPrice: nanos(10n ** 15n) }, "cacheReadPrice"],
  ["an empty identifier", { id: "" }, "id"],
  ["half a token", { maxOutputTokens: 0.5 }, "maxOutputTokens"],
  [
    "a combination with two prices",
    {
      videoPrices: [1n, 2n].map((price) => ({ durationSeconds: 5, resolution: "720p", price: nanos(price) })),
    },
    "videoPrices",
  ],
  [
    "a video of no length",
    { videoPrices: [{ durationSeconds: 0, resolution: "720p", price: nanos(1n) }] },
    "durationSeconds",
  ],
])("%s is refused with the member's name, and nothing is stored", async (_name, change, words) => {
  const before = await listCatalog(db);
  await expect(saveModel(db, { id: "refused", kind: "video", ...change })).rejects.toThrow(words);
  expect(await listCatalog(db)).toEqual(before);
});

test("enabled models that are not sold for want of a price are found", async () => {
  const unpriced = [
    await model({ inputPrice: nanos(0n), outputPrice: nanos(0n) }),
    await model({ kind: "embedding", inputPrice: nanos(0n), outputPrice: nanos(0n) }),
  ];
  await model({ inputPrice: nanos(0n), outputPrice: nanos(0n), isEnabled: false });
  await model({ inputPrice: nanos(0n), outputPrice: nanos(1n) });
  await model({ isFree: true, inputPrice: nanos(0n), outputPrice: nanos(0n) });
  await model({ kind: "video", inputPrice: nanos(0n), outputPrice: nanos(0n) });
  expect((await findUnpriced(db)).map(({ id }) => id)).toEqual(unpriced);
});

test("a model is free or has a price: the last setting holds, and both at once are refused", async () => {
  const id = await model({ inputPrice: nanos(3n), outputPrice: nanos(4n), cacheReadPrice: nanos(1n) });
  const free = await saveModel(db, { id, kind: "chat", isFree: true });
  expect(free).toMatchObject({ isFree: true, prices: emptySheet });
  expect(isUnpriced(free)).toBe(false);
  expect(await saveModel(db, { id, kind: "chat", outputPrice: nanos(2n) })).toMatchObject({
    isFree: false,
  });
  await expectRefused(
    saveModel(db, { id, kind: "chat", isFree: true, inputPrice: nanos(1n) }),
    "freeWithPrice",
  );
});

test("the models that enabled channels serve are found without the catalog", async () => {
  const vault = createVault("e".repeat(32));
  const add = (name: string, id: string) =>
    addChannel(
      db,
      { name, dialect: "openai", baseUrl: "http://up.test", secrets: ["s"], models: { [id]: "x" } },
      vault,
    );
  await add("on", "not in the catalog");
  const { id: channelId } = await add("off", "not served");
  await setChannelEnabled(db, { channelId, isEnabled: false });
  expect(await findServedModels(db)).toEqual(new Set(["not in the catalog"]));
});
