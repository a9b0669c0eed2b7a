import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import type { Nanos } from "@/server/base/money";
import { entryKinds, usageSources } from "@/server/domain/enums";
import type { AccountId, ChannelId, KeyId } from "@/server/domain/ids";
import { accounts } from "./access";

const nanos = () => bigint({ mode: "bigint" }).$type<Nanos>();
const count = () => bigint({ mode: "number" });
const moment = () => timestamp({ withTimezone: true, mode: "date" });

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

/** One account's month. Every figure can be recomputed from `ledger_entries` and `holds` (`ledger verify`). */
export const accountMonths = pgTable(
  "account_months",
  {
    accountId: text()
      .$type<AccountId>()
      .notNull()
      .references(() => accounts.id),
    /** YYYY-MM in the billing time zone. */
    period: text().notNull(),
    quota: nanos().notNull(),
    /** All additions to the quota: top-ups, refunds, and adjustments and carry-overs, which may be negative. */
    topups: nanos().notNull().default(sql`0`),
    used: nanos().notNull().default(sql`0`),
    frozen: nanos().notNull().default(sql`0`),
    /** The part of `used` that was sold out of an outage allowance. */
    outage: nanos().notNull().default(sql`0`),
    /** Whether the spend of each of its keys is counted separately, in `key_months`. Once true, it stays so. */
    countsKeys: boolean().notNull().default(false),
    /**
     * Whether the week in which the month ends has continued in the next month: the rest of a weekly cap is available
     * there only, and nothing more is frozen here under a weekly cap.
     */
    weekHasGoneOn: boolean().notNull().default(false),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.period] }),
    // Finds the few months that an outage allowance paid for.
    index("account_months_outage").on(table.period, table.accountId).where(sql`outage > 0`),
  ],
);

/**
 * Frozen money: for one open call, or (`processId`) for the calls that one process serves in the next seconds, an
 * escrow. The row is deleted when the call ends, or when the escrow's last call has ended. No foreign keys here and in
 * `ledger_entries`: each would lock the account's row once more per call, and accounts are never deleted.
 */
export const holds = pgTable(
  "holds",
  {
    requestId: text().notNull(),
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    amount: nanos().notNull(),
    keyId: text().$type<KeyId>(),
    /** Renewed by the process that serves the call; after this moment the money is returned. */
    expiresAt: moment().notNull(),
    /** The process that owns the escrow; null: the hold of one call. */
    processId: text(),
    /** Charges of an escrow's calls that are not yet added to its month. */
    captured: nanos().notNull().default(sql`0`),
    /** The part that its open calls used when the row was last written: the rest can be reclaimed. */
    inUse: nanos().notNull().default(sql`0`),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.period, table.requestId] }),
    index("holds_expiry").on(table.expiresAt),
  ],
);

/**
 * The amount that each process may sell to an account while the database is away: its part of the account's outage
 * allowance. It shrinks by each charge that it pays. Of a process that has ended it is deleted once its charges are
 * read.
 */
export const outageParts = pgTable(
  "outage_parts",
  {
    accountId: text().$type<AccountId>().notNull(),
    /** The beginning of the names of its files of charges. */
    processId: text().notNull(),
    amount: nanos().notNull(),
    /** Grows with each request of the process: a statement that was given up and commits late changes nothing. */
    turn: count().notNull(),
    /** Longer than a process may sell without the database. */
    expiresAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.processId] }),
    index("outage_parts_process").on(table.processId),
    index("outage_parts_expiry").on(table.expiresAt),
  ],
);

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
 * One key's month. Written for the keys of an account if one of them has had a monthly cap in this month
 * (`countsKeys`), by the statements that change the account's month, whose row they lock first.
 */
export const keyMonths = pgTable(
  "key_months",
  {
    accountId: text().$type<AccountId>().notNull(),
    keyId: text().$type<KeyId>().notNull(),
    period: text().notNull(),
    used: nanos().notNull(),
    frozen: nanos().notNull(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.period, table.keyId] })],
);

/** Captures summed by the hour (UTC), written with them; the source of charts and of a key's month. */
export const spendHours = pgTable(
  "spend_hours",
  {
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    hour: moment().notNull(),
    keyId: text().$type<KeyId>().notNull(),
    modelId: text().notNull(),
    calls: count().notNull(),
    amount: nanos().notNull(),
    /** Every class of input. */
    inputTokens: count().notNull(),
    outputTokens: count().notNull(),
    /**
     * Input tokens read from a cache, and the input tokens of which that is known: releases before 0030 did not sum it.
     */
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
    calls: count().notNull(),
    /** The charges and the costs of these calls. */
    amount: nanos().notNull(),
    cost: nanos().notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.accountId, table.period, table.hour, table.channelId, table.modelId, table.shard],
    }),
    index("cost_hours_period").on(table.period, table.hour),
  ],
);

/** Codes that were created together; each is worth `amount`, once. */
export const codeBatches = pgTable("code_batches", {
  id: text().primaryKey(),
  /** The operator's name for the batch, such as a reseller or a campaign. */
  name: text().notNull(),
  amount: nanos().notNull(),
  /** null: never. */
  expiresAt: moment(),
  /** From this moment on, the remaining codes are refused. */
  disabledAt: moment(),
  createdBy: text().notNull(),
  createdAt: moment().notNull().defaultNow(),
});

/** One code: its holder gets its batch's amount. */
export const redeemCodes = pgTable(
  "redeem_codes",
  {
    /** SHA-256 of its characters, which are random enough to need neither a pepper nor a slow hash. */
    hash: text().primaryKey(),
    batchId: text()
      .notNull()
      .references(() => codeBatches.id),
    lastFour: text().notNull(),
    redeemedAt: moment(),
    /** The account that redeemed it; null: not redeemed. */
    accountId: text()
      .$type<AccountId>()
      .references(() => accounts.id),
  },
  (table) => [index("redeem_codes_batch").on(table.batchId)],
);
