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
import { entryKinds, usageSources } from "@/server/domain/enums";
import type { AccountId, ChannelId, KeyId } from "@/server/domain/ids";
import { count, moment, nanos } from "./columns";

/**
 * Append-only, with a partition for each month (`db/partitions.ts`). The kind gives the sign of `amount`: a grant and a
 * refund add, a capture spends, a release returns. A carry-over is a pair of entries with one identifier: out of one
 * month, and into another, each with the other month as its note.
 */
export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    /** Of a capture or a release: the request's identifier, so that a call ends once. Other kinds have their own. */
    id: text().notNull(),
    /**
     * The sweeper recorded the hold as lost. Its call may still have another entry: a late charge, or the end of a hold
     * that was taken again.
     */
    isLost: boolean().notNull().default(false),
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    kind: text({ enum: entryKinds }).notNull(),
    amount: nanos().notNull(),
    /** To the millisecond, as programs write it, because lists use it as a cursor. */
    createdAt: timestamp({ withTimezone: true, mode: "date", precision: 3 }).notNull().defaultNow(),
    held: nanos(),
    keyId: text().$type<KeyId>(),
    modelId: text(),
    channelId: text().$type<ChannelId>(),
    /** Nano-units by class and unit, as they were then. */
    prices: jsonb().$type<Record<string, string>>(),
    inputTokens: count(),
    cacheReadTokens: count(),
    cacheWriteTokens: count(),
    cacheWrite1hTokens: bigint("cache_write_1h_tokens", { mode: "number" }),
    outputTokens: count(),
    reasoningTokens: count(),
    /** Other billed units (domain/units.ts). */
    units: jsonb().$type<Record<string, number>>(),
    /** Of a capture: the cost at its channel. null: unknown. */
    cost: nanos(),
    usageSource: text({ enum: usageSources }),
    note: text(),
    /** Of a refund: the charge that it refunds, and the month of that charge. */
    chargeId: text(),
    chargePeriod: text(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.id, table.isLost, table.period] }),
    index("ledger_entries_time").on(table.accountId, table.createdAt),
    // Finds a month's few top-ups among its many captures.
    index("ledger_entries_others")
      .on(table.accountId, table.kind, table.createdAt)
      .where(sql`kind <> 'capture'`),
  ],
);

/**
 * Sums of a closed month's entries for each account, kind, key and model, which stay when the entries are archived. A
 * month is closed once nothing in it can change any more.
 */
export const ledgerCheckpoints = pgTable(
  "ledger_checkpoints",
  {
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    kind: text({ enum: entryKinds }).notNull(),
    /** Empty if an entry has none, like `modelId`. */
    keyId: text().$type<KeyId>().notNull(),
    modelId: text().notNull(),
    entries: count().notNull(),
    amount: nanos().notNull(),
    /** The amount by which charges exceeded their holds. */
    overHold: nanos().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.period, table.kind, table.keyId, table.modelId] }),
    index("ledger_checkpoints_period").on(table.period, table.accountId),
  ],
);

/** The chain of closings: each link includes the previous one in its digest, so that no change goes unnoticed. */
export const ledgerClosings = pgTable("ledger_closings", {
  /** 1 for the first. */
  number: integer().primaryKey(),
  /** If a charge comes after a month was closed, the month is closed again: its last link counts. */
  period: text().notNull(),
  entries: count().notNull(),
  /** SHA-256 of its checkpoints, in hexadecimal. */
  sums: text().notNull(),
  /** SHA-256 of the previous link, with the period, the entries and the sums. */
  digest: text().notNull(),
  closedAt: moment().notNull().defaultNow(),
  /** When its entries were moved from the database to an archive. */
  archivedAt: moment(),
  /** SHA-256 of the archive's file. */
  archive: text(),
});

/**
 * How far the months that still change have been verified, by all replicas together, one step at a time, and the result
 * of the last whole round. One row.
 */
export const ledgerChecks = pgTable("ledger_checks", {
  name: text().primaryKey(),
  /** No replica takes the next step before this moment; the one that takes it postpones it by a step's longest time. */
  nextAt: moment().notNull().defaultNow(),
  /** A token of the replica that took the last step, by which the row tells two replicas apart. */
  claim: text(),
  /** Where the next step begins; null: a new round begins. */
  period: text(),
  after: text(),
  /** Counts of the current round. */
  entries: count().notNull().default(0),
  drifts: count().notNull().default(0),
  /** When the last whole round ended, how many entries it read, and how many figures differed. */
  verifiedAt: moment(),
  verifiedEntries: count().notNull().default(0),
  verifiedDrifts: count().notNull().default(0),
});
