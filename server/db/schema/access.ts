import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import { roles, statuses } from "@/server/base/facts";
import type { AccountId, KeyId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";
import { priceGroups } from "./catalog";

const moment = () => timestamp({ withTimezone: true, mode: "date" });

export const accounts = pgTable(
  "accounts",
  {
    id: text().$type<AccountId>().primaryKey(),
    name: text().notNull().unique(),
    status: text({ enum: statuses }).notNull().default("active"),
    /** Granted at the start of each month, in nano-units. */
    monthlyQuota: bigint({ mode: "bigint" }).$type<Nanos>().notNull(),
    /** The operator's limits on all of its keys together; null: none. */
    requestsPerMinute: integer(),
    tokensPerMinute: integer(),
    /** Calls under way at a time. */
    maxConcurrent: integer(),
    /** What all of its keys may spend in a day of the billing zone, in nano-units. */
    dailyLimit: bigint({ mode: "bigint" }).$type<Nanos>(),
    /** Whether what it was answered over the Responses API is kept, to go on from. */
    storesResponses: boolean().notNull().default(true),
    /** The first month, as YYYY-MM, of which the rest of its top-ups goes on in the next; null: it ends with the month. */
    carriesTopupsSince: text(),
    /** What it pays instead of the usual prices; null: those. */
    priceGroupId: text().references(() => priceGroups.id),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [index("accounts_price_group").on(table.priceGroupId)],
);

export const users = pgTable("users", {
  id: text().primaryKey(),
  /** null: somebody who runs the gateway, and belongs to no account. */
  accountId: text()
    .$type<AccountId>()
    .references(() => accounts.id),
  email: text().notNull().unique(),
  /** argon2id, PHC string. null: invited, and has not set one yet. */
  passwordHash: text(),
  /** What each may do is in `server/base/roles.ts`. */
  role: text({ enum: roles }).notNull(),
  status: text({ enum: statuses }).notNull().default("active"),
  /** Set when somebody else chose the password: nothing else can be done before it is changed. */
  mustChangePassword: boolean().notNull().default(false),
  /** Encrypted. Asked for at sign-in once `totpEnabledAt` is set. */
  totpSecret: text(),
  totpEnabledAt: moment(),
  /** The time step of the last code that was taken: none is taken twice. */
  totpLastStep: bigint({ mode: "number" }),
  /** Keyed hashes; each goes as it is used. */
  recoveryCodes: text().array().notNull().default(sql`'{}'`),
  createdAt: moment().notNull().defaultNow(),
});

/** Who is signed in where. A session whose row is gone is over, whatever its cookie says. */
export const sessions = pgTable(
  "sessions",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: moment().notNull().defaultNow(),
    expiresAt: moment().notNull(),
    /** When its user last proved who they are: to the provider, by its word, or to us before a link to it. */
    provedAt: moment(),
    /** When it was used last, to some minutes, and then from where: no more of the address than its network. */
    lastSeenAt: moment(),
    network: text(),
    browser: text(),
    system: text(),
  },
  (table) => [index("sessions_user").on(table.userId), index("sessions_expiry").on(table.expiresAt)],
);

/** Who somebody is at the OpenID Connect provider. It is this that they come in by then, and never their e-mail. */
export const userIdentities = pgTable(
  "user_identities",
  {
    userId: text()
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    /** As the provider writes itself. */
    issuer: text().notNull(),
    /** Its name for them, which it gives to nobody else. */
    subject: text().notNull(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [uniqueIndex("user_identities_subject").on(table.issuer, table.subject)],
);

/** Invitations and password resets: links that work once and for a day. A new one of a user replaces the last. */
export const userLinks = pgTable("user_links", {
  userId: text()
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** Of the secret in the link, which is nowhere. */
  hash: text().notNull().unique(),
  expiresAt: moment().notNull(),
});

/** A known text sealed under each installation secret: a start with another secret finds out here. */
export const secretChecks = pgTable("secret_checks", {
  /** The environment variable's name. */
  name: text().primaryKey(),
  sealed: text().notNull(),
});

export const apiKeys = pgTable(
  "api_keys",
  {
    id: text().$type<KeyId>().primaryKey(),
    accountId: text()
      .$type<AccountId>()
      .notNull()
      .references(() => accounts.id),
    name: text().notNull(),
    /** HMAC-SHA-256 of the secret under the pepper, base64url. The secret itself is nowhere. */
    hash: text().notNull(),
    lastFour: text().notNull(),
    /** Of the secret before this one, which a rotation left in force until `oldUntil`. Releases before 0022 refuse it. */
    oldHash: text(),
    oldLastFour: text(),
    oldUntil: moment(),
    status: text({ enum: statuses }).notNull().default("active"),
    /** Canonical CIDRs; empty means any address. */
    allowedIps: text().array().notNull().default(sql`'{}'`),
    requestsPerMinute: integer(),
    /** Calls under way at a time; null: as many as its account may have. */
    maxConcurrent: integer(),
    /** Public names of the models that it may call; empty means any. */
    models: text().array().notNull().default(sql`'{}'`),
    /** What it may spend in a billing month, in nano-units. null: whatever the account has. */
    monthlyCap: bigint({ mode: "bigint" }).$type<Nanos>(),
    /** Likewise in a day of the billing zone, and in a week of it, which begins on Monday. */
    dailyCap: bigint({ mode: "bigint" }).$type<Nanos>(),
    weeklyCap: bigint({ mode: "bigint" }).$type<Nanos>(),
    /** Answers say what the call cost, whether it asked or not. */
    tellsCost: boolean().notNull().default(false),
    /** Prompts are marked for their vendor's cache where the client marks nothing. */
    cachesPrompts: boolean().notNull().default(true),
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
    uniqueIndex("api_keys_old_hash").on(table.oldHash),
    index("api_keys_account").on(table.accountId, table.id),
    // At most one of each account.
    uniqueIndex("api_keys_console").on(table.accountId).where(sql`is_console`),
  ],
);

/** Keys of programs that do what people do in the console, by the admin API. One that is revoked has no row. */
export const managementKeys = pgTable(
  "management_keys",
  {
    id: text().primaryKey(),
    /** null: it manages the installation, as an operator does. */
    accountId: text()
      .$type<AccountId>()
      .references(() => accounts.id),
    name: text().notNull(),
    /** HMAC-SHA-256 of the secret under the pepper, base64url. The secret itself is nowhere. */
    hash: text().notNull().unique(),
    lastFour: text().notNull(),
    isReadOnly: boolean().notNull().default(false),
    /** Who made it, by e-mail; `command` for the operator commands. */
    createdBy: text().notNull(),
    expiresAt: moment(),
    lastUsedAt: moment(),
    lastAddress: text(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [index("management_keys_account").on(table.accountId, table.id)],
);

/** Answers to what management keys have asked for once, for the repeats that their Idempotency-Key tells apart. */
export const idempotentAnswers = pgTable(
  "idempotent_answers",
  {
    managementKeyId: text()
      .notNull()
      .references(() => managementKeys.id, { onDelete: "cascade" }),
    /** As the client chose it. */
    key: text().notNull(),
    /** Of what was asked for: the same key with another request is a mistake of the client's. */
    fingerprint: text().notNull(),
    /** Encrypted, for it may show a new key's secret. null until the transaction that asks has done its work. */
    answer: text(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.managementKeyId, table.key] }),
    index("idempotent_answers_age").on(table.createdAt),
  ],
);

/**
 * Written by rate-limiter-flexible, whose column types these are but for the points: many refused calls add up for a
 * moment.
 */
export const rateLimits = pgTable("rate_limits", {
  key: varchar({ length: 255 }).primaryKey(),
  points: bigint({ mode: "number" }).notNull().default(0),
  expire: bigint({ mode: "bigint" }),
});
