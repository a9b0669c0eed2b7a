import { boolean, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { bytea, moment, nanos } from "./columns";

/**
 * Responses that accounts store to continue from. The content is encrypted under the response's own identifier, of
 * which only a hash is stored here: the table alone reveals neither a row's content nor its predecessor.
 */
export const storedResponses = pgTable(
  "stored_responses",
  {
    accountId: text().$type<AccountId>().notNull(),
    /** SHA-256 of the identifier. */
    hash: text().notNull(),
    /** SHA-256 of the identifier of the previous response, which this one continues. */
    parentHash: text(),
    /** SHA-256 of the identifier of the only conversation that has it. null: it can be retrieved as a response. */
    conversationHash: text(),
    keyId: text().$type<KeyId>().notNull(),
    /** The size of its content as JSON, before compression. */
    bytes: integer().notNull(),
    payload: bytea().notNull(),
    createdAt: moment().notNull(),
    expiresAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hash] }),
    index("stored_responses_expiring").on(table.expiresAt),
  ],
);

/**
 * Conversations: each points to the newest of its stored responses. Its content is encrypted under the conversation's
 * identifier, of which only a hash is stored here.
 */
export const conversations = pgTable(
  "conversations",
  {
    accountId: text().$type<AccountId>().notNull(),
    /** SHA-256 of the identifier. */
    hash: text().notNull(),
    keyId: text().$type<KeyId>().notNull(),
    payload: bytea().notNull(),
    createdAt: moment().notNull(),
    /** None of its stored responses expires earlier. */
    expiresAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hash] }),
    index("conversations_expiring").on(table.expiresAt),
  ],
);

/**
 * Thinking that a vendor requires in front of the call that followed it, for clients that send back only the call's
 * identifier. It is encrypted under that identifier, of which only a hash is stored here.
 */
export const keptThinking = pgTable(
  "kept_thinking",
  {
    accountId: text().$type<AccountId>().notNull(),
    /** SHA-256 of the call's identifier. */
    hash: text().notNull(),
    /** The size of its content as JSON, before compression. */
    bytes: integer().notNull(),
    payload: bytea().notNull(),
    createdAt: moment().notNull(),
    expiresAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hash] }),
    index("kept_thinking_expiring").on(table.expiresAt),
  ],
);

/**
 * Responses that are being made in the background. The money of each is frozen under its call's request id, without a
 * lease: the row and the hold end in one transaction.
 */
export const backgroundResponses = pgTable(
  "background_responses",
  {
    accountId: text().$type<AccountId>().notNull(),
    /** SHA-256 of the response's identifier, as in `stored_responses`. */
    hash: text().notNull(),
    keyId: text().$type<KeyId>().notNull(),
    /** The request id of the call that requested it; its charge has the same. */
    requestId: text().notNull(),
    modelId: text().notNull(),
    /** The billing month in which its money is frozen, and how much of it, in nano-units. */
    period: text().notNull(),
    amount: nanos().notNull(),
    /** The request, encrypted. */
    payload: bytea().notNull(),
    /** The run that makes it. null: it waits. */
    runId: text(),
    leaseUntil: moment(),
    /** An upstream has begun to answer: it is not called again. */
    hasBegun: boolean().notNull().default(false),
    attempts: integer().notNull().default(0),
    createdAt: moment().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.accountId, table.hash] }),
    index("background_responses_waiting").on(table.createdAt),
  ],
);
