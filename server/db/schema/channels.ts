import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { vendorApis } from "@/server/base/facts";
import type { ChannelId } from "@/server/base/ids";

export const channels = pgTable("channels", {
  id: text().$type<ChannelId>().primaryKey(),
  name: text().notNull().unique(),
  dialect: text({ enum: vendorApis }).notNull(),
  /** A preset's id. null: the base URL's host tells, if anything does. */
  vendor: text(),
  baseUrl: text().notNull(),
  /** AES-256-GCM ciphertexts, one per credential. */
  credentials: jsonb().$type<string[]>().notNull(),
  /** The last four characters of each, for people to tell them apart. */
  credentialHints: text().array().notNull().default(sql`'{}'`),
  /** The higher tier is tried first. */
  priority: integer().notNull().default(0),
  /** Share of traffic inside a tier. */
  weight: integer().notNull().default(1),
  /** Video tasks that may be open at a time. null: what its dialect usually takes. */
  maxTasks: integer(),
  /** Longest wait for a stream's first event or a whole JSON answer; null: the installation's. */
  timeoutSeconds: integer(),
  /** Longest silence inside a stream; null: the installation's. */
  idleTimeoutSeconds: integer(),
  enabled: boolean().notNull().default(true),
  /** Its calls go to the others, whatever its priority, as long as one of them takes them. */
  isMovedOff: boolean("moved_off").notNull().default(false),
  createdAt: timestamp({ withTimezone: true, mode: "date" }).notNull().defaultNow(),
});

export const channelModels = pgTable(
  "channel_models",
  {
    channelId: text()
      .$type<ChannelId>()
      .notNull()
      .references(() => channels.id, { onDelete: "cascade" }),
    /** The public name; the catalog may learn of it later than the channel. */
    modelId: text().notNull(),
    upstreamName: text().notNull(),
    /** What the operator says of this model here, over the presets: some of protocol/capabilities. */
    capabilities: jsonb().$type<Record<string, unknown>>(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.modelId] }),
    index("channel_models_model").on(table.modelId),
  ],
);
