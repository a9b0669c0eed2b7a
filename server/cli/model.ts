import { listModels, type Model, type ModelKind, saveModel } from "@/server/catalog";
import { formatMoney } from "@/server/money";
import { changing } from "./changing";
import { type Command, many, need, text, UsageError, type Values, wholeNumber } from "./command";
import { money, moneyOf } from "./money-flag";

const view = (model: Model) => ({
  id: model.id,
  kind: model.kind,
  owner: model.ownedBy,
  enabled: model.isEnabled,
  free: model.isFree,
  sold: model.isEnabled && model.isPriced,
  max_output: model.maxOutputTokens,
  prices: {
    input: formatMoney(model.prices.input),
    output: formatMoney(model.prices.output),
    cache_read: formatMoney(model.prices.cacheRead),
    cache_write: formatMoney(model.prices.cacheWrite),
    cache_write_1h: formatMoney(model.prices.cacheWrite1h),
  },
  video_prices: Object.fromEntries(
    model.videoPrices.map(({ durationSeconds, resolution, price }) => [
      `${durationSeconds}:${resolution}`,
      formatMoney(price),
    ]),
  ),
});

function kindOf(value: string): ModelKind {
  if (value !== "chat" && value !== "embedding" && value !== "video") {
    throw new UsageError("--kind must be chat, embedding or video");
  }
  return value;
}

/** `SECONDS:RESOLUTION=PRICE`. */
function videoPrices(values: Values) {
  const entries = many(values, "video-price");
  return entries.map((entry) => {
    const [, seconds, resolution, price] = /^(\d{1,4}):(\w+)=(.+)$/.exec(entry) ?? [];
    if (!seconds || !resolution || !price) {
      throw new UsageError(`--video-price ${entry}: write SECONDS:RESOLUTION=PRICE, such as 5:720p=0.5`);
    }
    return { durationSeconds: Number(seconds), resolution, price: moneyOf(price, "--video-price") };
  });
}

const set: Command = {
  summary:
    "Add a model or change it; prices are per million tokens, and without one (or --free) it is not sold",
  flags: {
    id: { type: "string", required: true },
    kind: { type: "string", required: true },
    owner: { type: "string" },
    input: { type: "string" },
    output: { type: "string" },
    "cache-read": { type: "string" },
    "cache-write": { type: "string" },
    "cache-write-1h": { type: "string" },
    "video-price": { type: "string", multiple: true },
    "max-output": { type: "string" },
    free: { type: "boolean" },
    disabled: { type: "boolean" },
  },
  run: async (context, values) => {
    const grid = videoPrices(values);
    const wanted = {
      id: need(values, "id"),
      kind: kindOf(need(values, "kind")),
      ownedBy: text(values, "owner"),
      enabled: values.disabled !== true,
      ...(values.free === true && { isFree: true }),
      maxOutputTokens: wholeNumber(values, "max-output", { min: 1, max: 100_000_000 }),
      inputPrice: money(values, "input"),
      outputPrice: money(values, "output"),
      cacheReadPrice: money(values, "cache-read"),
      cacheWritePrice: money(values, "cache-write"),
      cacheWrite1hPrice: money(values, "cache-write-1h"),
      videoPrices: grid.length > 0 ? grid : undefined,
    };
    return await changing(context, "model.save", async (db) => {
      const before = (await listModels(db)).find((model) => model.id === wanted.id);
      const after = await saveModel(db, wanted);
      return {
        accountId: null,
        target: { id: after.id, name: after.id },
        ...(before && { before: view(before) }),
        after: view(after),
        result: view(after),
      };
    });
  },
};

export const modelCommands: Record<string, Command> = {
  set,
  list: {
    summary: "List models, the disabled ones too",
    flags: {},
    run: async ({ db }) => (await listModels(db.orm)).map(view),
  },
};
