import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
} from "drizzle-orm/pg-core";
import type { AccountId, ChannelId, KeyId, TaskId } from "@/server/base/ids";

/**
 * What became of each call of a known key: a log, not a ledger. It is written some moments after the call and kept for
 * a while; what a call cost is in `ledger_entries` under the same request id, or under its task's. A partition for the
 * calls that began in each month (`db/partitions.ts`).
 */
export const calls = pgTable(
  "calls",
  {
    /** Time-ordered, so that it is the order of the list, too. */
    requestId: text().notNull(),
    accountId: text().$type<AccountId>().notNull(),
    keyId: text().$type<KeyId>().notNull(),
    endpoint: text().notNull(),
    /** As the client wrote it; null when it named none. */
    modelId: text(),
    channelId: text().$type<ChannelId>(),
    /** Of a video that this call submitted. */
    taskId: text().$type<TaskId>(),
    status: integer().notNull(),
    /** `x-error-code` of a refusal, or of what a stream broke off with. */
    error: text(),
    /** What the client was told of it, an upstream's words by their terms of errors alone (decision 42). */
    errorMessage: text(),
    isStream: boolean().notNull().default(false),
    /** Until the first event of a stream. */
    firstTokenMs: integer(),
    /** Until the last byte was ready. */
    elapsedMs: integer().notNull(),
    address: text(),
    startedAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.requestId] }),
    index("calls_all").on(table.requestId),
    index("calls_key").on(table.keyId, table.requestId),
    index("calls_account_model").on(table.accountId, table.modelId, table.requestId),
    index("calls_model").on(table.modelId, table.requestId),
    index("calls_account_failed").on(table.accountId, table.requestId).where(sql`error is not null`),
    index("calls_failed").on(table.requestId).where(sql`error is not null`),
  ],
);

/**
 * What upstreams were asked for each of these calls, in order. Written with the call and kept as long; a partition for
 * the calls that began in each month.
 */
export const callAttempts = pgTable(
  "call_attempts",
  {
    requestId: text().notNull(),
    accountId: text().$type<AccountId>().notNull(),
    /** Of the call's attempts, the first being 0. */
    position: smallint().notNull(),
    channelId: text().$type<ChannelId>().notNull(),
    /** Of the channel's row: what came before it was changed says nothing of it. null: written by an earlier release. */
    channelVersion: text(),
    operation: text().notNull(),
    /** The last characters of the credential. */
    credential: text().notNull(),
    modelId: text().notNull(),
    beganAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
    /** HTTP status of the answer; null: none came. */
    status: integer(),
    outcome: text().notNull(),
    headMs: integer(),
    firstMs: integer(),
    elapsedMs: integer().notNull(),
    /** The terms of errors in what was said of a fault. */
    words: text(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.requestId, table.position] }),
    index("call_attempts_channel").on(table.channelId, table.requestId),
  ],
);

/** What clients asked for that no endpoint has, by kind. Some hundred rows. */
export const missedPaths = pgTable(
  "missed_paths",
  {
    method: text().notNull(),
    /** Without its query, and with `{id}` for what looks like a name. */
    path: text().notNull(),
    /** The first product of its user agent; empty: it named none. */
    program: text().notNull(),
    times: bigint({ mode: "number" }).notNull(),
    firstAt: timestamp({ withTimezone: true, mode: "date" }).notNull().defaultNow(),
    lastAt: timestamp({ withTimezone: true, mode: "date" }).notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.method, table.path, table.program] })],
);
