import { sql } from "drizzle-orm";
import { bigint, index, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import { disputeStates, paymentProviders, paymentStates } from "@/server/base/facts";
import type { AccountId } from "@/server/base/ids";
import type { Nanos } from "@/server/base/money";
import { accounts } from "./access";

const nanos = () => bigint({ mode: "bigint" }).$type<Nanos>();
const moment = () => timestamp({ withTimezone: true, mode: "date" });

/** A top-up that a customer pays for: what was asked for, and what its provider has said of it. */
export const payments = pgTable(
  "payments",
  {
    id: text().primaryKey(),
    accountId: text()
      .$type<AccountId>()
      .notNull()
      .references(() => accounts.id),
    provider: text({ enum: paymentProviders }).notNull(),
    state: text({ enum: paymentStates }).notNull(),
    amount: nanos().notNull(),
    /** ISO 4217, as the installation's was. */
    currency: text().notNull(),
    /** The provider's page on which it is paid; null: it has not said yet that there is one. */
    checkoutId: text(),
    /** The provider's name of the payment: what the ledger's entry is named by. */
    reference: text(),
    /** What the provider has paid back, and what of it was debited again. */
    refunded: nanos().notNull().default(sql`0`),
    debited: nanos().notNull().default(sql`0`),
    /** Whether somebody's bank wants it back; null: nobody's. */
    dispute: text({ enum: disputeStates }),
    /** The month that it was credited to. */
    period: text(),
    createdAt: moment().notNull().defaultNow(),
    changedAt: moment().notNull().defaultNow(),
  },
  (table) => [
    index("payments_account").on(table.accountId, table.id),
    uniqueIndex("payments_checkout").on(table.provider, table.checkoutId),
    uniqueIndex("payments_reference").on(table.provider, table.reference),
  ],
);
