import { index, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { AccountId } from "@/server/base/ids";
import { bytea } from "./bytea";

const moment = () => timestamp({ withTimezone: true, mode: "date" });

/**
 * Calls that came with an Idempotency-Key. The answer is encrypted under that key, of which only a hash is here:
 * nobody who has the table can read a row.
 */
export const idempotentCalls = pgTable(
  "idempotent_calls",
  {
    accountId: text().$type<AccountId>().notNull(),
    /** Of account, API key and Idempotency-Key. */
    hash: text().notNull(),
    /** A hash of all that the call asks for. */
    fingerprint: text().notNull(),
    /** The call that was the first, by its request id. */
    requestId: text().notNull(),
    /** While it runs: until when its process has to say so again. null: it has ended. */
    leaseUntil: moment(),
    /** null after its end: it was too large to keep. */
    answer: bytea(),
    createdAt: moment().notNull(),
    expiresAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hash] }),
    index("idempotent_calls_expiring").on(table.expiresAt),
  ],
);
