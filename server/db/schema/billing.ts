import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  uniqueIndex,
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
    topups: nanos().notNull().default(sql`0`),
    used: nanos().notNull().default(sql`0`),
    frozen: nanos().notNull().default(sql`0`),
    /** Whether what each of its keys spends is counted apart, in `key_months`. Once true, it stays so. */
    countsKeys: boolean().notNull().default(false),
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
    requestId: text().primaryKey(),
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
    index("holds_account").on(table.accountId, table.period),
    index("holds_expiry").on(table.expiresAt),
  ],
);

/** Append-only. `amount` is signed as the kind says: a grant adds, a capture spends, a release returns. */
export const ledgerEntries = pgTable(
  "ledger_entries",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    kind: text({ enum: entryKinds }).notNull(),
    amount: nanos().notNull(),
    createdAt: moment().notNull().defaultNow(),
    /**
     * Captures and releases only, at most one of each a request, and both only where a hold was lost before its call
     * was charged: then the release says that it expired and the capture that it came late.
     */
    requestId: text(),
    held: nanos(),
    keyId: text().$type<KeyId>(),
    modelId: text(),
    channelId: text().$type<ChannelId>(),
    /** Nano-units per million tokens by class, as they were. */
    prices: jsonb().$type<Record<string, string>>(),
    inputTokens: count(),
    cacheReadTokens: count(),
    cacheWriteTokens: count(),
    cacheWrite1hTokens: bigint("cache_write_1h_tokens", { mode: "number" }),
    outputTokens: count(),
    reasoningTokens: count(),
    usageSource: text({ enum: usageSources }),
    note: text(),
  },
  (table) => [
    // A call has one end, beside which there may only be the sweeper's word that its hold was lost before.
    uniqueIndex("ledger_entries_end").on(
      table.requestId,
      sql`(kind = 'release' and note is not distinct from 'expired')`,
    ),
    index("ledger_entries_account").on(table.accountId, table.period, table.id),
    // A month's few top-ups are found among its many captures.
    index("ledger_entries_others")
      .on(table.accountId, table.period, table.kind, table.id)
      .where(sql`kind <> 'capture'`),
  ],
);

/**
 * One key's month. Kept for the keys of an account of which one has had a monthly cap in this month (`countsKeys`), by
 * the statements that move the account's month, whose row is locked first.
 */
export const keyMonths = pgTable(
  "key_months",
  {
    keyId: text().$type<KeyId>().notNull(),
    period: text().notNull(),
    used: nanos().notNull(),
    frozen: nanos().notNull(),
  },
  (table) => [primaryKey({ columns: [table.keyId, table.period] })],
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
