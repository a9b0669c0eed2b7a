import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { type EventType, statuses, type ToldType } from "@/server/base/facts";
import type { AccountId, ChannelId } from "@/server/base/ids";
import { languages } from "@/server/base/language";
import { users } from "./access";
import { channels } from "./channels";

const moment = () => timestamp({ withTimezone: true, mode: "date" });

/** Where somebody wants to be told of what happens. */
export const webhooks = pgTable(
  "webhooks",
  {
    id: text().primaryKey(),
    /** null: the operators', who are told of every account. */
    accountId: text().$type<AccountId>(),
    url: text().notNull(),
    events: text().array().$type<EventType[]>().notNull(),
    /** Encrypted. */
    secret: text().notNull(),
    /** The one before it, which signs as well until `oldUntil`. */
    oldSecret: text(),
    oldUntil: moment(),
    status: text({ enum: statuses }).notNull().default("active"),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [index("webhooks_account").on(table.accountId, table.id)],
);

/** Who is told of what by e-mail. Whose events they are is their account's; who has none is told of every account. */
export const mailRecipients = pgTable("mail_recipients", {
  userId: text()
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** Empty: of nothing. */
  events: text().array().$type<EventType[]>().notNull(),
  language: text({ enum: languages }).notNull(),
  /** Until then what happens waits for the next e-mail. */
  quietUntil: moment().notNull().defaultNow(),
});

/**
 * What is told, to a webhook or to a person, and how that went. A row is its own queue entry: whoever claims it moves
 * `dueAt` past its lease. The release that made the table knew webhooks alone, hence its name.
 */
export const deliveries = pgTable(
  "webhook_deliveries",
  {
    /** The `webhook-id` of every attempt. */
    id: text().primaryKey(),
    /** This, or `userId`. */
    webhookId: text().references(() => webhooks.id, { onDelete: "cascade" }),
    userId: text().references(() => mailRecipients.userId, { onDelete: "cascade" }),
    type: text().$type<ToldType>().notNull(),
    /** JSON, as it is signed. */
    body: text().notNull(),
    attempts: integer().notNull().default(0),
    /** null: it has ended. */
    dueAt: moment(),
    /** Of the last attempt: the status that came, or what went wrong. */
    answered: integer(),
    problem: text(),
    deliveredAt: moment(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [
    index("webhook_deliveries_due").on(table.dueAt).where(sql`due_at is not null`),
    index("webhook_deliveries_webhook").on(table.webhookId, table.id),
    index("webhook_deliveries_user").on(table.userId),
    index("webhook_deliveries_age").on(table.createdAt),
  ],
);

/** Shares of a month, a week or a day that have been told of, each once; and days of unusual spend. */
export const reachedShares = pgTable(
  "reached_shares",
  {
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    /** A key's identifier, of its cap; empty: the account's, of its month or its daily limit. */
    subject: text().notNull(),
    percent: integer().notNull(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.period, table.subject, table.percent] })],
);

/** Channels that fail, until they are well again. */
export const channelAlarms = pgTable("channel_alarms", {
  channelId: text()
    .$type<ChannelId>()
    .primaryKey()
    .references(() => channels.id, { onDelete: "cascade" }),
  since: moment().notNull(),
  /** Since when it looks well again; null: it does not. */
  wellSince: moment(),
});
