import { index, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { AccountId, KeyId } from "@/server/base/ids";
import { bytea } from "./bytea";

/**
 * Responses that accounts keep to go on from. What was said is encrypted under the response's own identifier, of which
 * only a hash is here: nobody who has the table can read a row, or find the one that goes before it.
 */
export const storedResponses = pgTable(
  "stored_responses",
  {
    accountId: text().$type<AccountId>().notNull(),
    /** Of the identifier. */
    hash: text().notNull(),
    /** Of the response that it goes on from. */
    parentHash: text(),
    keyId: text().$type<KeyId>().notNull(),
    /** What it holds, as JSON, before it is compressed. */
    bytes: integer().notNull(),
    payload: bytea().notNull(),
    createdAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
    expiresAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hash] }),
    index("stored_responses_expiring").on(table.expiresAt),
  ],
);
