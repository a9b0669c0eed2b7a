import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  varchar,
} from "drizzle-orm/pg-core";
import { languages } from "@/server/base/language";
import { roles, statuses } from "@/server/domain/enums";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { priceGroups } from "./catalog";
import { count, moment, nanos } from "./columns";

export const accounts = pgTable(
  "accounts",
  {
    id: text().$type<AccountId>().primaryKey(),
    name: text().notNull().unique(),
    status: text({ enum: statuses }).notNull().default("active"),
    /** Granted at the start of each month, in nano-units. */
    monthlyQuota: nanos().notNull(),
    /** The operator's limits on all of its keys together; null: no limit. */
    requestsPerMinute: integer(),
    tokensPerMinute: integer(),
    /** Concurrent calls. */
    maxConcurrent: integer(),
    /** The most that all of its keys may spend in a day of the billing zone, in nano-units. */
    dailyLimit: nanos(),
    /** The most that it may be sold beyond its money while the database is away; null: `OUTAGE_ALLOWANCE`. */
    outageAllowance: nanos(),
    /** Whether its responses of the Responses API are stored, so that calls can continue them. */
    storesResponses: boolean().notNull().default(true),
    /**
     * The first month, as YYYY-MM, whose unspent top-ups are carried over into the next; null: they end with the month.
     * A new account has carried them from its first month on.
     */
    carriesTopupsSince: text().default("0001-01"),
    /** The group whose prices it pays; null: the usual prices. */
    priceGroupId: text().references(() => priceGroups.id),
    /** The buyer on its invoices; null: the account's name alone. */
    buyerName: text(),
    buyerAddress: text(),
    buyerTaxNumber: text(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [index("accounts_price_group").on(table.priceGroupId)],
);

export const users = pgTable("users", {
  id: text().primaryKey(),
  /** null: an operator, who belongs to no account. */
  accountId: text()
    .$type<AccountId>()
    .references(() => accounts.id),
  email: text().notNull().unique(),
  /** argon2id, PHC string. null: invited, and no password set yet. */
  passwordHash: text(),
  /** The permissions of each role are in `server/domain/roles.ts`. */
  role: text({ enum: roles }).notNull(),
  status: text({ enum: statuses }).notNull().default("active"),
  /** The language in which they last used the console, for e-mails; null: not known yet. */
  language: text({ enum: languages }),
  /** Set if another person chose the password: the user must change it before anything else. */
  mustChangePassword: boolean().notNull().default(false),
  /** Encrypted. Required at sign-in once `totpEnabledAt` is set. */
  totpSecret: text(),
  totpEnabledAt: moment(),
  /** The time step of the last accepted code: no code is accepted twice. */
  totpLastStep: count(),
  /** Keyed hashes; each is removed when it is used. */
  recoveryCodes: text().array().notNull().default(sql`'{}'`),
  createdAt: moment().notNull().defaultNow(),
});

/** Sessions of signed-in users. A session without a row is over, whatever its cookie says. */
export const sessions = pgTable(
  "sessions",
  {
    id: text().primaryKey(),
    userId: text()
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: moment().notNull().defaultNow(),
    expiresAt: moment().notNull(),
    /** When its user last proved their identity: to the provider, according to it, or to us before linking it. */
    provedAt: moment(),
    /** When it was last used, to within some minutes, and from which network: the full address is not stored. */
    lastSeenAt: moment(),
    network: text(),
    browser: text(),
    system: text(),
  },
  (table) => [index("sessions_user").on(table.userId), index("sessions_expiry").on(table.expiresAt)],
);

/** A user's identity at the OpenID Connect provider. It alone identifies them at sign-in, never their e-mail. */
export const userIdentities = pgTable(
  "user_identities",
  {
    userId: text()
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The provider's own spelling of its name. */
    issuer: text().notNull(),
    /** The provider's name for the user, which is unique there. */
    subject: text().notNull(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [uniqueIndex("user_identities_subject").on(table.issuer, table.subject)],
);

/**
 * Requests at the sign-in page for a link to set a new password, until the worker has answered them. A row says nothing
 * about a person: anybody may ask for any address.
 */
export const passwordRequests = pgTable(
  "password_requests",
  {
    email: text().primaryKey(),
    language: text({ enum: languages }).notNull(),
    /** Of the browser that asked. */
    address: text(),
    /** Not handled before this moment: a process that handles it postpones it by its lease. */
    dueAt: moment().notNull().defaultNow(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [index("password_requests_due").on(table.dueAt)],
);

/** Invitations and password resets: links that work once, for a day or an hour. A user's new link replaces the last one. */
export const userLinks = pgTable("user_links", {
  userId: text()
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** A hash of the secret in the link; the secret itself is stored nowhere. */
  hash: text().notNull().unique(),
  expiresAt: moment().notNull(),
});

/** A known text sealed under each installation secret, by which a start with another secret is noticed. */
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
    /** HMAC-SHA-256 of the secret under the pepper, base64url. The secret itself is stored nowhere. */
    hash: text().notNull(),
    lastFour: text().notNull(),
    /** The hash of the former secret, which a rotation left valid until `oldUntil`. Releases before 0022 refuse it. */
    oldHash: text(),
    oldLastFour: text(),
    oldUntil: moment(),
    status: text({ enum: statuses }).notNull().default("active"),
    /** Canonical CIDRs; empty means any address. */
    allowedIps: text().array().notNull().default(sql`'{}'`),
    requestsPerMinute: integer(),
    /** Concurrent calls; null: as many as its account may have. */
    maxConcurrent: integer(),
    /** Public names of the models that it may call; empty means any. */
    models: text().array().notNull().default(sql`'{}'`),
    /** The most that it may spend in a billing month, in nano-units. null: the account's money is the only limit. */
    monthlyCap: nanos(),
    /** The most in a day of the billing zone, and in a week of it, which begins on Monday. */
    dailyCap: nanos(),
    weeklyCap: nanos(),
    /** Every answer includes its call's cost, even if the client did not ask for it. */
    tellsCost: boolean().notNull().default(false),
    /** Prompts are marked for their vendor's cache if the client marks nothing. */
    cachesPrompts: boolean().notNull().default(true),
    /** The console's own key: its secret is stored nowhere, and it is not listed. */
    isConsole: boolean().notNull().default(false),
    expiresAt: moment(),
    /** Written with a delay of some seconds. */
    lastUsedAt: moment(),
    lastAddress: text(),
    deletedAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [
    uniqueIndex("api_keys_hash").on(table.hash),
    uniqueIndex("api_keys_old_hash").on(table.oldHash),
    index("api_keys_account").on(table.accountId, table.id),
    // At most one for each account.
    uniqueIndex("api_keys_console").on(table.accountId).where(sql`is_console`),
  ],
);

/** Keys of programs that use the admin API to do the work of people in the console. A revoked key has no row. */
export const managementKeys = pgTable(
  "management_keys",
  {
    id: text().primaryKey(),
    /** null: it manages the installation, as an operator does. */
    accountId: text()
      .$type<AccountId>()
      .references(() => accounts.id),
    name: text().notNull(),
    /** HMAC-SHA-256 of the secret under the pepper, base64url. The secret itself is stored nowhere. */
    hash: text().notNull().unique(),
    lastFour: text().notNull(),
    isReadOnly: boolean().notNull().default(false),
    /** The creator's e-mail; `command` for the operator commands. */
    createdBy: text().notNull(),
    expiresAt: moment(),
    lastUsedAt: moment(),
    lastAddress: text(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [index("management_keys_account").on(table.accountId, table.id)],
);

/** Stored answers to requests of management keys, for repeats with the same Idempotency-Key. */
export const idempotentAnswers = pgTable(
  "idempotent_answers",
  {
    managementKeyId: text()
      .notNull()
      .references(() => managementKeys.id, { onDelete: "cascade" }),
    /** The client's own Idempotency-Key. */
    key: text().notNull(),
    /** A hash of the request: the same key with another request is a mistake of the client. */
    fingerprint: text().notNull(),
    /**
     * Encrypted, because it may contain a new key's secret. null until the transaction of the request has done its
     * work.
     */
    answer: text(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.managementKeyId, table.key] }),
    index("idempotent_answers_age").on(table.createdAt),
  ],
);

/**
 * Written by rate-limiter-flexible, with its column types except for the points: many refused calls can add up within a
 * moment.
 */
export const rateLimits = pgTable("rate_limits", {
  key: varchar({ length: 255 }).primaryKey(),
  points: count().notNull().default(0),
  expire: bigint({ mode: "bigint" }),
});
