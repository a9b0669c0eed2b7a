import { index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { AccountId } from "@/server/domain/ids";
import { bytea, moment } from "./columns";

/**
 * Calls with an Idempotency-Key. The answer is encrypted under that key, of which only a hash is stored here: the table
 * alone does not reveal any answer.
 */
export const idempotentCalls = pgTable(
  "idempotent_calls",
  {
    accountId: text().$type<AccountId>().notNull(),
    /** SHA-256 of account, API key and Idempotency-Key. */
    hash: text().notNull(),
    /** A hash of the whole request. */
    fingerprint: text().notNull(),
    /** The request id of the first call. */
    requestId: text().notNull(),
    /** The lease of the process that runs the call, which it renews. null: the call has ended. */
    leaseUntil: moment(),
    /** null after its end: too large to keep. */
    answer: bytea(),
    createdAt: moment().notNull(),
    expiresAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hash] }),
    index("idempotent_calls_expiring").on(table.expiresAt),
  ],
);
