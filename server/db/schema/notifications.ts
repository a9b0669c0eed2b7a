import { sql } from "drizzle-orm";
import { index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { languages } from "@/server/base/language";
import { type EventType, type NotificationType, statuses } from "@/server/domain/enums";
import type { AccountId, ChannelId } from "@/server/domain/ids";
import { users } from "./access";
import { channels } from "./channels";
import { moment } from "./columns";

/** URLs that receive events. */
export const webhooks = pgTable(
  "webhooks",
  {
    id: text().primaryKey(),
    /** null: the operators', with the events of every account. */
    accountId: text().$type<AccountId>(),
    url: text().notNull(),
    events: text().array().$type<EventType[]>().notNull(),
    /** Encrypted. */
    secret: text().notNull(),
    /** The former secret, which also signs until `oldUntil`. */
    oldSecret: text(),
    oldUntil: moment(),
    status: text({ enum: statuses }).notNull().default("active"),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [index("webhooks_account").on(table.accountId, table.id)],
);

/** Users who receive events by e-mail: those of their account, or, without an account, those of every account. */
export const mailRecipients = pgTable("mail_recipients", {
  userId: text()
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** Empty: none. */
  events: text().array().$type<EventType[]>().notNull(),
  language: text({ enum: languages }).notNull(),
  /** Until this moment, events wait for the next e-mail. */
  quietUntil: moment().notNull().defaultNow(),
});

/**
 * Deliveries of events to a webhook or a person, with their results. A row is its own queue entry: a process claims it
 * by moving `dueAt` past its lease. The release that created the table had webhooks only, and named it so.
 */
export const deliveries = pgTable(
  "webhook_deliveries",
  {
    /** The `webhook-id` of every attempt. */
    id: text().primaryKey(),
    /** Either this or `userId` is set. */
    webhookId: text().references(() => webhooks.id, { onDelete: "cascade" }),
    userId: text().references(() => mailRecipients.userId, { onDelete: "cascade" }),
    type: text().$type<NotificationType>().notNull(),
    /** JSON, exactly as it is signed. */
    body: text().notNull(),
    attempts: integer().notNull().default(0),
    /** null: no further attempt. */
    dueAt: moment(),
    /** The status of the last attempt, or its error. */
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

/** Shares of a month, a week or a day that were notified, each once; and days of unusual spend. */
export const reachedShares = pgTable(
  "reached_shares",
  {
    accountId: text().$type<AccountId>().notNull(),
    period: text().notNull(),
    /** The identifier of a key, for its cap; empty: the account's month or daily limit. */
    subject: text().notNull(),
    percent: integer().notNull(),
    createdAt: moment().notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.accountId, table.period, table.subject, table.percent] })],
);

/** Channels that fail, until they have recovered. */
export const channelAlarms = pgTable("channel_alarms", {
  channelId: text()
    .$type<ChannelId>()
    .primaryKey()
    .references(() => channels.id, { onDelete: "cascade" }),
  since: moment().notNull(),
  /** Since when it has worked again; null: it still fails. */
  wellSince: moment(),
});
