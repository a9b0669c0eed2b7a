import { bigint, boolean, index, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { AccountId, KeyId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";
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
    /** Of the conversation that alone has it. null: it can be asked for as a response. */
    conversationHash: text(),
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

/**
 * Conversations: each points to the newest of the stored responses that it is made of. What it says is encrypted under
 * the conversation's identifier, of which only a hash is here.
 */
export const conversations = pgTable(
  "conversations",
  {
    accountId: text().$type<AccountId>().notNull(),
    /** Of the identifier. */
    hash: text().notNull(),
    keyId: text().$type<KeyId>().notNull(),
    payload: bytea().notNull(),
    createdAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
    /** None of its stored responses expires before. */
    expiresAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hash] }),
    index("conversations_expiring").on(table.expiresAt),
  ],
);

/**
 * Thinking that a vendor wants back in front of the call that followed it, for clients that send back only the call's
 * identifier. It is encrypted under that identifier, and the table has only the identifier's hash.
 */
export const keptThinking = pgTable(
  "kept_thinking",
  {
    accountId: text().$type<AccountId>().notNull(),
    /** Of the call's identifier. */
    hash: text().notNull(),
    /** What it holds, as JSON, before it is compressed. */
    bytes: integer().notNull(),
    payload: bytea().notNull(),
    createdAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
    expiresAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hash] }),
    index("kept_thinking_expiring").on(table.expiresAt),
  ],
);

/**
 * Responses that are made in the background, until they have ended. Each has its money frozen under its call's request
 * id, without a lease: what ends the row ends that, in one transaction.
 */
export const backgroundResponses = pgTable(
  "background_responses",
  {
    accountId: text().$type<AccountId>().notNull(),
    /** Of the response's identifier, as in `stored_responses`. */
    hash: text().notNull(),
    keyId: text().$type<KeyId>().notNull(),
    /** Of the call that asked for it; its charge has it, too. */
    requestId: text().notNull(),
    modelId: text().notNull(),
    /** The billing month in which its money is frozen, and how much of it, in nano-units. */
    period: text().notNull(),
    amount: bigint({ mode: "bigint" }).$type<Nanos>().notNull(),
    /** What was asked, encrypted. */
    payload: bytea().notNull(),
    /** Who makes it. null: it waits. */
    runId: text(),
    leaseUntil: timestamp({ withTimezone: true, mode: "date" }),
    /** An upstream has begun to answer: it is not asked again. */
    hasBegun: boolean().notNull().default(false),
    attempts: integer().notNull().default(0),
    createdAt: timestamp({ withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hash] }),
    index("background_responses_waiting").on(table.createdAt),
  ],
);
