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
import { modalities, modelKinds, routings } from "@/server/base/facts";
import type { ChannelId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";
import { channels } from "./channels";

/** Prices are nano-units per million tokens. A class without a price of its own costs what input costs. */
const price = () => bigint({ mode: "bigint" }).$type<Nanos>();

export const models = pgTable("models", {
  id: text().primaryKey(),
  kind: text({ enum: modelKinds }).notNull(),
  ownedBy: text().notNull(),
  isEnabled: boolean("enabled").notNull().default(true),
  /** The most output tokens that one answer may have. */
  maxOutputTokens: integer().notNull(),
  inputPrice: price().notNull(),
  outputPrice: price().notNull(),
  cacheReadPrice: price(),
  cacheWritePrice: price(),
  cacheWrite1hPrice: bigint("cache_write_1h_price", { mode: "bigint" }).$type<Nanos>(),
  /** What is not paid by the token of text (base/units.ts): nano-units by unit. */
  unitPrices: jsonb().$type<Record<string, string>>().notNull().default({}),
  /** An operator said that it costs nothing. Without that and without a price it is not sold. */
  isFree: boolean().notNull().default(false),
  /** By what its channels are ordered within a priority. */
  routing: text({ enum: routings }).notNull().default("weight"),
  /** A stream that has not begun by then is asked for at a second channel, too. null: it waits. */
  hedgeAfterMs: integer(),
  /** Tokens of prompt and answer together. Here and below, null: nobody has said. */
  contextWindow: integer(),
  inputModalities: text({ enum: modalities }).array(),
  outputModalities: text({ enum: modalities }).array(),
  hasTools: boolean(),
  hasThinking: boolean(),
  createdAt: timestamp({ withTimezone: true, mode: "date" }).notNull().defaultNow(),
});

/**
 * What an operator pays for a model at a channel, by class and unit as it is sold; `video:5:720p` is one video. Nano-units,
 * of a million where the class or the unit is sold so. It outlives the model's place in the channel.
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
    changedAt: timestamp({ withTimezone: true, mode: "date" }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.channelId, table.modelId] })],
);

/**
 * What some accounts pay instead: every price times a factor in millionths (base/factor.ts), and of some models, by name,
 * times another one.
 */
export const priceGroups = pgTable("price_groups", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  factor: bigint({ mode: "bigint" }).notNull(),
  modelFactors: jsonb().$type<Record<string, string>>().notNull().default({}),
  createdAt: timestamp({ withTimezone: true, mode: "date" }).notNull().defaultNow(),
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
 * Every price that a model has had, has, or is to have, all of it by name (`price-sheet.ts`), and from when it holds: until
 * the next one does. What has begun is not changed any more.
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
    /** Who entered it; null: the gateway itself, or somebody before this was kept. */
    enteredBy: text(),
    enteredAt: timestamp({ withTimezone: true, mode: "date", precision: 3 }).notNull().defaultNow(),
    /** Whether `models` has it: one that is to begin does not, and has still to be written there once it has begun. */
    isWritten: boolean().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.modelId, table.beginsAt] }),
    index("model_prices_to_come").on(table.beginsAt).where(sql`not is_written`),
  ],
);
