import { COMMAND_LINE } from "@/server/base/command-line";
import type { Config } from "@/server/base/config";
import { nanos, parseMoney } from "@/server/base/money";
import { findUnpriced, listCatalog, listPricesOf, type ModelWithPrices, saveModel } from "@/server/catalog";
import { addChannel, findVendor, listChannels, listDraftModels, type ModelSource } from "@/server/channels";
import { kindAt } from "@/server/domain/model-kinds";
import { offers } from "@/server/operations";
import { createDispatcher, createUpstreams } from "@/server/upstream";
import type { Runtime } from "../runtime/runtime";

type VendorGround = Pick<Runtime, "config" | "db" | "vault">;

/** A channel that the first boot creates from a vendor's key in the environment. */
type KeyedChannel = {
  name: string;
  /** The preset. */
  vendor: string;
  variable: "OPENAI_API_KEY" | "ANTHROPIC_API_KEY" | "DASHSCOPE_API_KEY";
  baseUrl: (config: Config) => string;
  /** Its models; those in the catalog already stay as they are there. */
  models: (config: Config, at: ModelSource) => Promise<ModelWithPrices[]>;
  advice: string;
};

const CHAT_ADVICE =
  "Prices are the vendor's list prices, set only if they are in your CURRENCY:\n" +
  `  ${COMMAND_LINE} model set --id MODEL --kind chat --input P --output P`;

/** For models whose maximum is unknown. */
const USUAL_MAX_OUTPUT = 16_384;

/** The models on the vendor's own list that a first start sells, at the vendor's list prices. */
const listed =
  (ownedBy: Parameters<typeof listPricesOf>[0]["vendor"]): KeyedChannel["models"] =>
  async ({ CURRENCY }, endpoint) => {
    const { baseUrl, dialect } = endpoint;
    const dispatcher = createDispatcher();
    try {
      const { models, failure } = await listDraftModels(createUpstreams(dispatcher), endpoint);
      if (failure) {
        throw new Error(`${failure.status ?? failure.reason} ${failure.message}`.trim());
      }
      return models.flatMap((model) => {
        const kind = kindAt(dialect, model);
        if (kind !== "chat" && kind !== "embedding") {
          return [];
        }
        const id = model.name;
        return {
          ...{ id, kind, ownedBy, isEnabled: true },
          maxOutputTokens: offers.longestAnswerOf(kind, model, endpoint) ?? USUAL_MAX_OUTPUT,
          prices: listPricesOf({ vendor: ownedBy, baseUrl, currency: CURRENCY }, id) ?? undefined,
        };
      });
    } finally {
      await dispatcher.destroy();
    }
  };

/**
 * DashScope's video models and their list prices in CNY: 5 seconds at 0.24 and 0.70 a second (model-studio, model
 * pricing).
 */
const dashscopeVideos = [
  { id: "wanx2.1-t2v-turbo", resolution: "720p", price: "1.2" },
  { id: "wan2.2-t2v-plus", resolution: "1080p", price: "3.5" },
];

const dashscopeHost = (config: Config) => config.DASHSCOPE_BASE_URL;

const keyedChannels: KeyedChannel[] = [
  {
    name: "openai",
    vendor: "openai",
    variable: "OPENAI_API_KEY",
    baseUrl: (config) => config.OPENAI_BASE_URL,
    models: listed("openai"),
    advice: CHAT_ADVICE,
  },
  {
    name: "anthropic",
    vendor: "anthropic",
    variable: "ANTHROPIC_API_KEY",
    // This vendor's SDKs take the address without the version, which the channel's address has.
    baseUrl: (config) => config.ANTHROPIC_BASE_URL.replace(/(?:\/v1)?\/*$/, "/v1"),
    models: listed("anthropic"),
    advice: CHAT_ADVICE,
  },
  {
    name: "dashscope",
    vendor: "dashscope-video",
    variable: "DASHSCOPE_API_KEY",
    baseUrl: dashscopeHost,
    models: async ({ CURRENCY }) =>
      dashscopeVideos.map(({ id, resolution, price }) => ({
        id,
        kind: "video",
        ownedBy: "dashscope",
        isEnabled: true,
        // In another currency the list price would be wrong, and a video without a price is not sold.
        ...(CURRENCY === "CNY" && {
          videoPrices: [{ durationSeconds: 5, resolution, price: parseMoney(price) ?? nanos(0n) }],
        }),
      })),
    advice:
      "Prices are the vendor's list prices in CNY, and are set only if that is the currency:\n" +
      `  ${COMMAND_LINE} model set --id MODEL --kind video --video-price SECONDS:RESOLUTION=P`,
  },
  {
    name: "dashscope-chat",
    vendor: "dashscope",
    variable: "DASHSCOPE_API_KEY",
    baseUrl: (config) => `${dashscopeHost(config).replace(/\/+$/, "")}/compatible-mode/v1`,
    models: listed("dashscope"),
    advice: CHAT_ADVICE,
  },
];

/**
 * Adds the channels of each vendor whose key is in the environment, unless channels of these names exist. A vendor that
 * does not answer at one start is asked again at the next one.
 */
export async function addVendorChannels(runtime: VendorGround, say: (line: string) => void): Promise<void> {
  const channels = await listChannels(runtime.db);
  for (const keyed of keyedChannels) {
    const secret = runtime.config[keyed.variable];
    if (secret && channels.every((channel) => channel.name !== keyed.name)) {
      await addKeyedChannel(runtime, { ...keyed, secret }, say).catch((error: unknown) => {
        say(`${keyed.variable} is set, but its models could not be listed: ${String(error)}`);
      });
    }
  }
}

async function addKeyedChannel(
  { config, db, vault }: VendorGround,
  { name, vendor, secret, ...keyed }: KeyedChannel & { secret: string },
  say: (line: string) => void,
): Promise<void> {
  const dialect = findVendor(vendor)?.dialect;
  if (!dialect) {
    throw new Error(`there is no preset ${vendor}`);
  }
  const baseUrl = keyed.baseUrl(config).replace(/\/+$/, "");
  say(`Adding channel "${name}" at ${baseUrl}`);
  const models = await keyed.models(config, { baseUrl, secret, dialect, vendor });
  const modelIds = new Set((await listCatalog(db)).map((model) => model.id));
  for (const model of models.filter(({ id }) => !modelIds.has(id))) {
    await saveModel(db, model);
  }
  const map = Object.fromEntries(models.map(({ id }) => [id, id]));
  await addChannel(db, { name, vendor, dialect, baseUrl, secrets: [secret], models: map }, vault);
  say(`Added channel "${name}" with ${models.length} models. ${keyed.advice}`);
  const unpriced = (await findUnpriced(db)).filter(({ id }) => id in map).map(({ id }) => id);
  if (unpriced.length > 0) {
    say(`Not sold, for want of a price: ${unpriced.join(", ")}`);
  }
}
