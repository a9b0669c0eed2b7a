import { sql } from "drizzle-orm";
import { boolean, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { accounts } from "./access";
import { count, moment, nanos } from "./columns";

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
