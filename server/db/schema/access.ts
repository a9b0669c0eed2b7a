import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  text,
  timestamp,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";

const moment = () => timestamp({ withTimezone: true, mode: "date" });

export const accounts = pgTable("accounts", {
  id: text().primaryKey(),
  name: text().notNull().unique(),
  status: text({ enum: ["active", "disabled"] })
    .notNull()
    .default("active"),
  /** Granted at the start of each month, in nano-units. */
  monthlyQuota: bigint({ mode: "bigint" }).notNull(),
  createdAt: moment().notNull().defaultNow(),
});

export const users = pgTable("users", {
  id: text().primaryKey(),
  /** null: an operator, who belongs to no account. */
  accountId: text().references(() => accounts.id),
  email: text().notNull().unique(),
  /** argon2id, PHC string. */
  passwordHash: text().notNull(),
  role: text({ enum: ["owner", "operator"] }).notNull(),
  /** A session that carries another version is over. */
  sessionVersion: integer().notNull().default(1),
  /** Encrypted. Asked for at sign-in once `totpEnabledAt` is set. */
  totpSecret: text(),
  totpEnabledAt: moment(),
  /** The time step of the last code that was taken: none is taken twice. */
  totpLastStep: bigint({ mode: "number" }),
  /** Keyed hashes; each goes as it is used. */
  recoveryCodes: text().array().notNull().default(sql`'{}'`),
  createdAt: moment().notNull().defaultNow(),
});

export const apiKeys = pgTable(
  "api_keys",
  {
    id: text().primaryKey(),
    accountId: text()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    /** HMAC-SHA-256 of the secret under the pepper, base64url. The secret itself is nowhere. */
    hash: text().notNull(),
    lastFour: text().notNull(),
    status: text({ enum: ["active", "disabled"] })
      .notNull()
      .default("active"),
    /** Canonical CIDRs; empty means any address. */
    allowedIps: text().array().notNull().default(sql`'{}'`),
    requestsPerMinute: integer(),
    /** Public names of the models that it may call; empty means any. */
    models: text().array().notNull().default(sql`'{}'`),
    /** What it may spend in a billing month, in nano-units. null: whatever the account has. */
    monthlyCap: bigint({ mode: "bigint" }),
    /** The console's own: its secret is nowhere, and it is not listed. */
    isConsole: boolean().notNull().default(false),
    expiresAt: moment(),
    /** Written some seconds later. */
    lastUsedAt: moment(),
    lastAddress: text(),
    deletedAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("api_keys_hash").on(table.hash),
    index("api_keys_account").on(table.accountId, table.id),
    // At most one of each account.
    uniqueIndex("api_keys_console").on(table.accountId).where(sql`is_console`),
  ],
);

/** Written by rate-limiter-flexible, whose column types these are. */
export const rateLimits = pgTable("rate_limits", {
  key: varchar({ length: 255 }).primaryKey(),
  points: integer().notNull().default(0),
  expire: bigint({ mode: "bigint" }),
});
