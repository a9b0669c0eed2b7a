import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import type { Nanos } from "@/server/base/money";
import { modalities, modelKinds, routings } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import { channels } from "./channels";
import { moment, nanos } from "./columns";

/** Prices are nano-units per million tokens. A class without a price costs the price of input. */
const price = nanos;

export const models = pgTable("models", {
  id: text().primaryKey(),
  kind: text({ enum: modelKinds }).notNull(),
  ownedBy: text().notNull(),
  isEnabled: boolean("enabled").notNull().default(true),
  /** The most output tokens of one answer. */
  maxOutputTokens: integer().notNull(),
  /** The price sheet: nano-units by name (server/pricing). */
  prices: jsonb().$type<Record<string, string>>().notNull().default({}),
  /** From here to the units: as the previous release reads prices (catalog/previous-columns.ts). */
  inputPrice: price().notNull(),
  outputPrice: price().notNull(),
  cacheReadPrice: price(),
  cacheWritePrice: price(),
  cacheWrite1hPrice: bigint("cache_write_1h_price", { mode: "bigint" }).$type<Nanos>(),
  unitPrices: jsonb().$type<Record<string, string>>().notNull().default({}),
  /** An operator marked it as free. Without that and without a price it is not sold. */
  isFree: boolean().notNull().default(false),
  /** The rule that orders its channels within a priority. */
  routing: text({ enum: routings }).notNull().default("weight"),
  /** A stream that has not begun by then is requested from a second channel as well. null: never. */
  hedgeAfterMs: integer(),
  /** Tokens of prompt and answer together. Here and below, null: unknown. */
  contextWindow: integer(),
  inputModalities: text({ enum: modalities }).array(),
  outputModalities: text({ enum: modalities }).array(),
  hasTools: boolean(),
  hasThinking: boolean(),
  createdAt: moment().notNull().defaultNow(),
});

/**
 * An operator's costs of a model at a channel, by class and unit as it is sold; `video:5:720p` is one video.
 * Nano-units, per million if the class or unit is sold by the million. The row outlives the model's place in the
 * channel.
 */
export const costPrices = pgTable(
  "cost_prices",
  {
    channelId: text()
      .$type<ChannelId>()
      .notNull()
      .references(() => channels.id, { onDelete: "cascade" }),
    modelId: text().notNull(),
    prices: jsonb().$type<Record<string, string>>().notNull(),
    changedAt: moment().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.channelId, table.modelId] })],
);

/**
 * Prices for some accounts: every price times a factor in millionths (domain/factor.ts), and some models, by name, times
 * another factor.
 */
export const priceGroups = pgTable("price_groups", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  factor: bigint({ mode: "bigint" }).notNull(),
  modelFactors: jsonb().$type<Record<string, string>>().notNull().default({}),
  createdAt: moment().notNull().defaultNow(),
});

/** A combination that is not listed is not sold (spec 4.5: 404). */
export const videoPrices = pgTable(
  "video_prices",
  {
    modelId: text()
      .notNull()
      .references(() => models.id),
    durationSeconds: integer().notNull(),
    resolution: text().notNull(),
    price: price().notNull(),
  },
  (table) => [primaryKey({ columns: [table.modelId, table.durationSeconds, table.resolution] })],
);

/**
 * Every past, present and scheduled price of a model, complete and by name (server/pricing), each in force until the
 * next one begins. A price that has begun is not changed any more.
 */
export const modelPrices = pgTable(
  "model_prices",
  {
    modelId: text()
      .notNull()
      .references(() => models.id),
    beginsAt: timestamp({ withTimezone: true, mode: "date", precision: 3 }).notNull(),
    prices: jsonb().$type<Record<string, string>>().notNull(),
    isFree: boolean().notNull(),
    /** The person who entered it; null: the gateway itself, or a price from before this was recorded. */
    enteredBy: text(),
    enteredAt: timestamp({ withTimezone: true, mode: "date", precision: 3 }).notNull().defaultNow(),
    /** Whether `models` has it: a scheduled price is written there only after it has begun. */
    isWritten: boolean().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.modelId, table.beginsAt] }),
    index("model_prices_to_come").on(table.beginsAt).where(sql`not is_written`),
  ],
);
