import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { vendorApis } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import { moment } from "./columns";

export const channels = pgTable("channels", {
  id: text().$type<ChannelId>().primaryKey(),
  name: text().notNull().unique(),
  dialect: text({ enum: vendorApis }).notNull(),
  /** A preset's id. null: the base URL's host may identify the vendor. */
  vendor: text(),
  baseUrl: text().notNull(),
  /** AES-256-GCM ciphertexts, one per credential. */
  credentials: jsonb().$type<string[]>().notNull(),
  /** The last four characters of each credential, by which people tell them apart. */
  credentialHints: text().array().notNull().default(sql`'{}'`),
  /** The higher tier is tried first. */
  priority: integer().notNull().default(0),
  /** Share of traffic inside a tier. */
  weight: integer().notNull().default(1),
  /** The most open video tasks. null: the usual number for its dialect. */
  maxTasks: integer(),
  /** Longest wait for a stream's first event or a whole JSON answer; null: the installation's. */
  timeoutSeconds: integer(),
  /** Longest silence inside a stream; null: the installation's. */
  idleTimeoutSeconds: integer(),
  enabled: boolean().notNull().default(true),
  /** Its calls go to other channels, whatever its priority, as long as one of them accepts them. */
  isMovedOff: boolean("moved_off").notNull().default(false),
  createdAt: moment().notNull().defaultNow(),
});

export const channelModels = pgTable(
  "channel_models",
  {
    channelId: text()
      .$type<ChannelId>()
      .notNull()
      .references(() => channels.id, { onDelete: "cascade" }),
    /** The public name; the model may be added to the catalog later than to the channel. */
    modelId: text().notNull(),
    upstreamName: text().notNull(),
    /** The operator's overrides of the presets for this model here: some of protocol/capabilities. */
    capabilities: jsonb().$type<Record<string, unknown>>(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.modelId] }),
    index("channel_models_model").on(table.modelId),
  ],
);

/**
 * The comparison of a channel's models with its vendor's list, on a schedule. A channel without a row has no schedule. The
 * names are the vendor's.
 */
export const channelModelChecks = pgTable("channel_model_checks", {
  channelId: text()
    .$type<ChannelId>()
    .primaryKey()
    .references(() => channels.id, { onDelete: "cascade" }),
  everyDays: smallint().notNull(),
  dueAt: moment().notNull(),
  /** When the vendor last answered with its list. null: never. */
  checkedAt: moment(),
  /** Why the last question failed. null: it did not. */
  failure: text(),
  /** The names that an operator has seen on the list. null: there was no list yet. */
  knownModels: text().array(),
  newModels: text().array().notNull().default(sql`'{}'`),
  /** The models that the channel serves and the vendor no longer lists. */
  goneModels: text().array().notNull().default(sql`'{}'`),
});
