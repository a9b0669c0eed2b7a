import { expect, test } from "vitest";
import { systemClock } from "@/server/base/clock";
import { createVault } from "@/server/base/vault";
import { createCatalog, createPriceGroup, keepToCome, saveCostPrices, saveModel } from "@/server/catalog";
import { addChannel } from "@/server/channels";
import { openDatabase } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { money } from "@/tests/support/customer";
import { freshDatabase } from "@/tests/support/database";
import { eventually } from "@/tests/support/eventually";
import { longestTurnOf } from "@/tests/support/longest-turn";
import { perFile } from "@/tests/support/per-file";
import { sheetOf } from "@/tests/support/price-sheet";

const MODELS = 10_000;
const DAY_MS = 86_400_000;

/** Half of what one turn took when all models were read and built at once: 75 to 460 ms. On a quiet machine it is 5. */
const LONGEST_TURN_MS = 35;

const db = perFile(async () => openDatabase(await freshDatabase()));

/** 10,000 models, each with a cost and a price to come. */
const stocked = perFile(async () => {
  const sql = sqlOf(db);
  const pattern = "pattern";
  await saveModel(db, {
    ...{ id: pattern, kind: "chat", isEnabled: true, inputPrice: money("1"), outputPrice: money("2") },
    ...{ cacheReadPrice: money("0.1"), maxOutputTokens: 1_000 },
  });
  const { id: channelId } = await addChannel(
    db,
    { name: "c", dialect: "openai", baseUrl: "http://127.0.0.1:9/v1", secrets: ["s"], models: {} },
    createVault("v".repeat(32)),
  );
  await saveCostPrices(db, { channelId, modelId: pattern, prices: sheetOf({ input: 5n, output: 6n }) });
  const group = await createPriceGroup(db, { name: "g", factor: 2_000_000n, modelFactors: new Map() });
  await sql`
    insert into models select (json_populate_record(models, json_build_object('id', 'model-' || n))).*
    from models, generate_series(1, ${MODELS}) as n where id = ${pattern}`;
  await sql`
    insert into cost_prices (channel_id, model_id, prices)
    select channel_id, 'model-' || n, prices from cost_prices, generate_series(1, ${MODELS}) as n`;
  await sql`
    insert into model_prices (model_id, begins_at, prices, is_free, is_written)
    select 'model-' || n, now() + interval '1 day', jsonb_build_object('input', '9'), false, false
    from models, generate_series(1, ${MODELS}) as n where id = ${pattern}`;
  return { channelId, groupId: group.id };
});

/** A catalog that has been read once: that may take longer than a call waits for it. */
async function openCatalog(clock: () => Date) {
  const catalog = createCatalog({ db, clock });
  const whether = () =>
    Promise.resolve(catalog.get("model-1", "chat", null)).then(
      () => "read",
      () => "late",
    );
  await eventually(whether).toBe("read");
  return catalog;
}

test("10,000 models are read again, also after a change, and listed in short turns", async () => {
  let now = systemClock();
  const catalog = await openCatalog(() => now);
  const get = async () => await catalog.get("model-7", "chat", stocked.groupId);
  const list = async () => {
    expect(await catalog.list(stocked.groupId)).toHaveLength(MODELS + 1);
  };
  const longestMsOf = async (work: () => Promise<unknown>) => (await longestTurnOf(work)).longestMs;
  const turns: Record<string, number> = {};
  catalog.forget();
  turns.again = await longestMsOf(get);
  await saveModel(db, { id: "model-8", kind: "chat", inputPrice: money("3") });
  catalog.forget();
  turns.changed = await longestMsOf(get);
  turns.list = await longestMsOf(list);
  now = new Date(now.getTime() + 2 * DAY_MS);
  turns.begun = await longestMsOf(async () => {
    await get();
    await list();
  });
  expect(Object.entries(turns).filter(([, ms]) => ms > LONGEST_TURN_MS)).toEqual([]);
});

test("changed models are read again, removed ones are gone, and the others stay the same", async () => {
  const { channelId } = stocked;
  let now = systemClock();
  const catalog = await openCatalog(() => now);
  const inputOf = async (id: string) => (await catalog.get(id, "chat", null)).prices.get("input");
  const same = (await catalog.get("model-1", "chat", null)).prices;
  const before = await inputOf("model-2");
  await saveModel(db, { id: "model-2", kind: "chat", inputPrice: money("7") });
  await saveModel(db, { id: "model-3", kind: "chat", isEnabled: false });
  await saveCostPrices(db, { channelId, modelId: "model-4", prices: sheetOf({ input: 8n }) });
  await saveCostPrices(db, { channelId, modelId: "model-5", prices: new Map() });
  const beginsAt = new Date(now.getTime() + DAY_MS / 2);
  const entered = { isFree: false, enteredBy: null, enteredAt: now };
  await keepToCome(db, { modelId: "model-6", beginsAt, prices: sheetOf({ input: 4n }), ...entered });
  expect(await inputOf("model-2")).toBe(before);
  catalog.forget();
  expect(await inputOf("model-2")).toBe(money("7"));
  await expect(inputOf("model-3")).rejects.toMatchObject({ kind: "unknownModel" });
  const costsOf = async (id: string) => (await catalog.get(id, "chat", null)).costs.get(channelId);
  expect(await costsOf("model-4")).toEqual(sheetOf({ input: 8n }));
  expect(await costsOf("model-5")).toBeUndefined();
  expect(await costsOf("model-6")).toEqual(sheetOf({ input: 5n, output: 6n }));
  // A row that is read again has another sheet.
  expect((await catalog.get("model-1", "chat", null)).prices).toBe(same);
  now = new Date(now.getTime() + (DAY_MS * 3) / 4);
  expect(await inputOf("model-6")).toBe(4n);
  now = new Date(now.getTime() + DAY_MS);
  expect(await inputOf("model-6")).toBe(9n);
  const ids = (await catalog.list()).map(({ id }) => id);
  expect(ids).toHaveLength(MODELS);
  expect(ids).toEqual(ids.toSorted());
});
