import { boolean, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

export const channels = pgTable("channels", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  dialect: text({ enum: ["openai", "sandbox"] }).notNull(),
  baseUrl: text().notNull(),
  /** AES-256-GCM ciphertexts, one per credential. */
  credentials: jsonb().$type<string[]>().notNull(),
  /** The higher tier is tried first. */
  priority: integer().notNull().default(0),
  /** Share of traffic inside a tier. */
  weight: integer().notNull().default(1),
  enabled: boolean().notNull().default(true),
  createdAt: timestamp({ withTimezone: true, mode: "date" }).notNull().defaultNow(),
});

export const channelModels = pgTable(
  "channel_models",
  {
    channelId: text()
      .notNull()
      .references(() => channels.id, { onDelete: "cascade" }),
    /** The public name; the catalog may learn of it later than the channel. */
    modelId: text().notNull(),
    upstreamName: text().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.channelId, table.modelId] }),
    index("channel_models_model").on(table.modelId),
  ],
);
