import { index, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import type { AccountId, ChannelId, KeyId } from "@/server/domain/ids";
import { count, moment, nanos } from "./columns";

/** The sums of captures, by the hour or by the day. */
export const spendSums = () => ({
  calls: count().notNull(),
  amount: nanos().notNull(),
  /** Every class of input. */
  inputTokens: count().notNull(),
  outputTokens: count().notNull(),
  /**
   * Input tokens read from a cache, and the input tokens of which that is known: releases before 0030 did not sum it.
   */
  cachedTokens: count().notNull(),
  cachedOfTokens: count().notNull(),
});

/** The sums of captures with a known cost: their number, charges and costs. */
export const costSums = () => ({
  calls: count().notNull(),
  amount: nanos().notNull(),
  cost: nanos().notNull(),
});

/** Captures summed by the hour (UTC), written with them; the source of charts and of a key's month. */
export const spendHours = pgTable(
  "spend_hours",
  {
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    hour: moment().notNull(),
    keyId: text().$type<KeyId>().notNull(),
    modelId: text().notNull(),
    ...spendSums(),
    // Rows of releases before 0030.
    cachedTokens: count().notNull().default(0),
    cachedOfTokens: count().notNull().default(0),
    /** Processes write to different rows, so that none waits for another's commit. */
    shard: smallint().notNull().default(0),
  },
  (table) => [
    primaryKey({
      columns: [table.accountId, table.period, table.hour, table.keyId, table.modelId, table.shard],
    }),
    index("spend_hours_key").on(table.keyId, table.period),
    index("spend_hours_period").on(table.period, table.hour),
  ],
);

/** Captures with a known cost, summed by the hour (UTC) and written with them. Only operators read it. */
export const costHours = pgTable(
  "cost_hours",
  {
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    hour: moment().notNull(),
    channelId: text().$type<ChannelId>().notNull(),
    modelId: text().notNull(),
    /** As in `spend_hours`. */
    shard: smallint().notNull(),
    ...costSums(),
  },
  (table) => [
    primaryKey({
      columns: [table.accountId, table.period, table.hour, table.channelId, table.modelId, table.shard],
    }),
    index("cost_hours_period").on(table.period, table.hour),
  ],
);
