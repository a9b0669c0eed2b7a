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
import { entryKinds, usageSources } from "@/server/base/facts";
import type { AccountId, ChannelId, KeyId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";
import { accounts } from "./access";

const nanos = () => bigint({ mode: "bigint" }).$type<Nanos>();
const count = () => bigint({ mode: "number" });
const moment = () => timestamp({ withTimezone: true, mode: "date" });

/**
 * How far the months that still move have been verified, by all replicas together, a step at a time, and what the last
 * whole round has found. One row.
 */
export const ledgerChecks = pgTable("ledger_checks", {
  name: text().primaryKey(),
  /** Nobody takes the next step before; who has taken one puts it off for as long as that may last. */
  nextAt: moment().notNull().defaultNow(),
  /** Who took the last step, as the row tells two of them apart. */
  claim: text(),
  /** Where the next step begins; null: a new round does. */
  period: text(),
  after: text(),
  /** Of the round under way. */
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
    /** All that was added beside the quota: top-ups, refunds, and adjustments and carry-overs, which may take away. */
    topups: nanos().notNull().default(sql`0`),
    used: nanos().notNull().default(sql`0`),
    frozen: nanos().notNull().default(sql`0`),
    /** Whether what each of its keys spends is counted apart, in `key_months`. Once true, it stays so. */
    countsKeys: boolean().notNull().default(false),
    /**
     * Whether a week that it ends in has gone on in the next month: what is left of it is to be had there alone, and
     * nothing is frozen here any more under a cap by the week.
     */
    weekHasGoneOn: boolean().notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.period] })],
);

/**
 * Money frozen: for one call under way, or (`processId`) for the calls that one process serves in the next seconds, an
 * escrow. The row goes when the call ends, or when the escrow's last call has. No foreign keys here and in
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
    /** Renewed by the process that serves the call; past it the money is returned. */
    expiresAt: moment().notNull(),
    /** Whose escrow it is; null: one call's hold. */
    processId: text(),
    /** What an escrow's calls were charged, which its month has not been told yet. */
    captured: nanos().notNull().default(sql`0`),
    /** What its calls under way had taken of it when it was last written: the rest is called back. */
    inUse: nanos().notNull().default(sql`0`),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.period, table.requestId] }),
    index("holds_expiry").on(table.expiresAt),
  ],
);

/**
 * Append-only, a partition for each month (`db/partitions.ts`). `amount` is signed as the kind says: a grant and a refund
 * add, a capture spends, a release returns. A carry-over is two, of one identifier: out of a month, and into another,
 * each with the other month as its note.
 */
export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    /** Of a capture or a release: the request's, whose end it is, so that there is one. Of others, of their own. */
    id: text().notNull(),
    /**
     * The sweeper's word that a hold was lost, beside which its call may have another end: a late charge, or the end of
     * a hold that was taken again.
     */
    isLost: boolean().notNull().default(false),
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    kind: text({ enum: entryKinds }).notNull(),
    amount: nanos().notNull(),
    /** To the millisecond, as programs write it: a list goes on behind it. */
    createdAt: timestamp({ withTimezone: true, mode: "date", precision: 3 }).notNull().defaultNow(),
    held: nanos(),
    keyId: text().$type<KeyId>(),
    modelId: text(),
    channelId: text().$type<ChannelId>(),
    /** Nano-units by class and unit, as they were. */
    prices: jsonb().$type<Record<string, string>>(),
    inputTokens: count(),
    cacheReadTokens: count(),
    cacheWriteTokens: count(),
    cacheWrite1hTokens: bigint("cache_write_1h_tokens", { mode: "number" }),
    outputTokens: count(),
    reasoningTokens: count(),
    /** What else is paid for, by unit (base/units.ts). */
    units: jsonb().$type<Record<string, number>>(),
    /** Of a capture: what its channel was to be paid for it. null: nobody has said what it costs there. */
    cost: nanos(),
    usageSource: text({ enum: usageSources }),
    note: text(),
    /** Of a refund: the charge that it gives back of, and the month of that charge. */
    chargeId: text(),
    chargePeriod: text(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.id, table.isLost, table.period] }),
    index("ledger_entries_time").on(table.accountId, table.createdAt),
    // A month's few top-ups are found among its many captures.
    index("ledger_entries_others")
      .on(table.accountId, table.kind, table.createdAt)
      .where(sql`kind <> 'capture'`),
  ],
);

/**
 * What a closed month's entries came to, for each account, kind, key and model: it stays when they are in an archive. A
 * month is closed once nothing moves in it any more.
 */
export const ledgerCheckpoints = pgTable(
  "ledger_checkpoints",
  {
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    kind: text({ enum: entryKinds }).notNull(),
    /** Empty where an entry has none; so is `modelId`. */
    keyId: text().$type<KeyId>().notNull(),
    modelId: text().notNull(),
    entries: count().notNull(),
    amount: nanos().notNull(),
    /** By how much charges went above their holds. */
    overHold: nanos().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.period, table.kind, table.keyId, table.modelId] }),
    index("ledger_checkpoints_period").on(table.period, table.accountId),
  ],
);

/** The chain of what was closed: each link has the one before in its digest, so that none changes unseen. */
export const ledgerClosings = pgTable("ledger_closings", {
  /** 1 for the first. */
  number: integer().primaryKey(),
  /** A month of which a charge came later is closed once more: its last link counts. */
  period: text().notNull(),
  entries: count().notNull(),
  /** SHA-256 of its checkpoints, in hexadecimal. */
  sums: text().notNull(),
  /** SHA-256 of the link before, with the period, the entries and the sums. */
  digest: text().notNull(),
  closedAt: moment().notNull().defaultNow(),
  /** When its entries left the database for an archive. */
  archivedAt: moment(),
  /** SHA-256 of that file. */
  archive: text(),
});

/**
 * One key's month. Kept for the keys of an account of which one has had a monthly cap in this month (`countsKeys`), by
 * the statements that move the account's month, whose row is locked first.
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

/** Captures summed up by the hour (UTC), written with them: what charts and a key's month are read from. */
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
    /** Of the input, what was read from a cache; of so much of it that is known: releases before 0030 did not sum it up. */
    cachedTokens: count().notNull().default(0),
    cachedOfTokens: count().notNull().default(0),
    /** Processes write different rows, so that none waits for another's commit. */
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

/**
 * Captures of which it is known what their channel was to be paid, summed up by the hour (UTC) and written with them.
 * Operators alone read it.
 */
export const costHours = pgTable(
  "cost_hours",
  {
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    hour: moment().notNull(),
    channelId: text().$type<ChannelId>().notNull(),
    modelId: text().notNull(),
    /** As that of `spend_hours`. */
    shard: smallint().notNull(),
    calls: count().notNull(),
    /** What they were charged, and what they cost. */
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

/** Codes that were made together; each is worth `amount`, once. */
export const codeBatches = pgTable("code_batches", {
  id: text().primaryKey(),
  /** The operator's own, such as a reseller's or a campaign's. */
  name: text().notNull(),
  amount: nanos().notNull(),
  /** null: never. */
  expiresAt: moment(),
  /** From then on those that are left are refused. */
  disabledAt: moment(),
  createdBy: text().notNull(),
  createdAt: moment().notNull().defaultNow(),
});

/** One code: who knows it gets its batch's amount. */
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
    /** Who redeemed it; null: nobody yet. */
    accountId: text()
      .$type<AccountId>()
      .references(() => accounts.id),
  },
  (table) => [index("redeem_codes_batch").on(table.batchId)],
);
