import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { AccountId, ChannelId, KeyId } from "@/server/domain/ids";
import { moment } from "./columns";
import { costSums, spendSums } from "./hours";

/**
 * The hourly sums of whole days, by the day of the billing zone: pages that read months read these. Written by the worker
 * some hours after the day (`day_sums` says up to which day), and again by a repair. `hour`: the first hour of the day.
 */
export const spendDays = pgTable(
  "spend_days",
  {
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    hour: moment().notNull(),
    keyId: text().$type<KeyId>().notNull(),
    modelId: text().notNull(),
    ...spendSums(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.period, table.hour, table.keyId, table.modelId] }),
    index("spend_days_period").on(table.period, table.hour),
  ],
);

/** The same of `cost_hours`. */
export const costDays = pgTable(
  "cost_days",
  {
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    hour: moment().notNull(),
    channelId: text().$type<ChannelId>().notNull(),
    modelId: text().notNull(),
    ...costSums(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.period, table.hour, table.channelId, table.modelId] }),
    index("cost_days_period").on(table.period, table.hour),
  ],
);

/** The hours of `spend_hours` summed over all accounts and keys, of the same days. Not of one account: no account reads it. */
export const spendTotals = pgTable(
  "spend_totals",
  {
    period: text().notNull(),
    hour: moment().notNull(),
    modelId: text().notNull(),
    ...spendSums(),
  },
  (table) => [primaryKey({ columns: [table.period, table.hour, table.modelId] })],
);

/** The same of `cost_hours`, summed over all accounts. */
export const costTotals = pgTable(
  "cost_totals",
  {
    period: text().notNull(),
    hour: moment().notNull(),
    channelId: text().$type<ChannelId>().notNull(),
    modelId: text().notNull(),
    ...costSums(),
  },
  (table) => [primaryKey({ columns: [table.period, table.hour, table.channelId, table.modelId] })],
);

/** How far whole days have been summed. One row. */
export const daySums = pgTable("day_sums", {
  name: text().primaryKey(),
  /** The billing zone, whose days these are: in another zone all of them are summed again. */
  timeZone: text().notNull(),
  /** Every hour before this moment, the start of a day, is in the sums above. */
  until: moment().notNull(),
});
