import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import type { IgnoredMember } from "@/server/base/ignored";
import type { VendorError } from "@/server/base/vendor-error";
import type { AccountId, ChannelId, KeyId, TaskId } from "@/server/domain/ids";
import { count, moment } from "./columns";

/**
 * The outcome of each call of a known key: a log, not a ledger. It is written some moments after the call and kept for
 * a while; the cost of a call is in `ledger_entries` under the same request id, or under its task's. A partition holds
 * the calls that began in one month (`db/partitions.ts`).
 */
export const calls = pgTable(
  "calls",
  {
    /** Time-ordered, so lists are sorted by it. */
    requestId: text().notNull(),
    accountId: text().$type<AccountId>().notNull(),
    keyId: text().$type<KeyId>().notNull(),
    endpoint: text().notNull(),
    /** The model's name as the client wrote it; null if the client named none. */
    modelId: text(),
    channelId: text().$type<ChannelId>(),
    /** The video task that this call submitted. */
    taskId: text().$type<TaskId>(),
    status: integer().notNull(),
    /** `x-error-code` of a refusal, or of the error that ended a stream. */
    error: text(),
    /** The error message of the client; of an upstream's words only the terms of errors (decision 42). */
    errorMessage: text(),
    /** Members of the request that its upstream did not get. null: none, or written by an earlier release. */
    ignored: jsonb().$type<IgnoredMember[]>(),
    isStream: boolean().notNull().default(false),
    /** Until the first event of a stream. */
    firstTokenMs: integer(),
    /** Until the last byte was ready. */
    elapsedMs: integer().notNull(),
    address: text(),
    startedAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.requestId] }),
    index("calls_all").on(table.requestId),
    index("calls_key").on(table.keyId, table.requestId),
    index("calls_model").on(table.modelId, table.requestId),
    index("calls_account_failed").on(table.accountId, table.requestId).where(sql`error is not null`),
    index("calls_failed").on(table.requestId).where(sql`error is not null`),
  ],
);

/**
 * The attempts of each of these calls, in order. Written with the call and kept as long; a partition holds the calls
 * that began in one month.
 */
export const callAttempts = pgTable(
  "call_attempts",
  {
    requestId: text().notNull(),
    accountId: text().$type<AccountId>().notNull(),
    /** The index among the call's attempts, from 0. */
    position: smallint().notNull(),
    channelId: text().$type<ChannelId>().notNull(),
    /**
     * Version of the channel's row: attempts before a change say nothing about the changed channel. null: written by an
     * earlier release.
     */
    channelVersion: text(),
    operation: text().notNull(),
    /** The last characters of the credential. */
    credential: text().notNull(),
    modelId: text().notNull(),
    beganAt: moment().notNull(),
    /** HTTP status of the answer; null: no answer. */
    status: integer(),
    outcome: text().notNull(),
    headMs: integer(),
    firstMs: integer(),
    elapsedMs: integer().notNull(),
    /** The terms of errors in the message of a fault. */
    words: text(),
    /** The names that the vendor gave its error. null: none, or written by an earlier release. */
    vendorError: jsonb().$type<VendorError>(),
  },
  (table) => [
    // No primary key: a call and its attempts are inserted together, and the call has one. New entries of this index
    // are at its end, so it is half as large as one that begins with the account, and quicker to write.
    index("call_attempts_call").on(table.requestId),
    index("call_attempts_channel").on(table.channelId, table.requestId),
  ],
);

/** Requests for paths that no endpoint has, by kind. Some hundred rows. */
export const missedPaths = pgTable(
  "missed_paths",
  {
    method: text().notNull(),
    /** Without its query, and with `{id}` for segments that look like names. */
    path: text().notNull(),
    /** The first product of its user agent; empty: none named. */
    program: text().notNull(),
    times: count().notNull(),
    firstAt: moment().notNull().defaultNow(),
    lastAt: moment().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.method, table.path, table.program] })],
);

/**
 * How each model's calls of an hour (UTC) ended, for the figures of the last days on its card. Calls that ended alike are
 * one row: `bucket` is that of their latency (`server/calls/latency-buckets.ts`).
 */
export const modelHours = pgTable(
  "model_hours",
  {
    hour: moment().notNull(),
    modelId: text().notNull(),
    bucket: smallint().notNull(),
    calls: count().notNull(),
    /** The output of streams, and the time from their first event to their end. */
    outputTokens: count().notNull(),
    outputMs: count().notNull(),
  },
  (table) => [primaryKey({ columns: [table.hour, table.modelId, table.bucket] })],
);
