import { sql } from "drizzle-orm";
import { index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { disputeStates, paymentProviders, paymentStates } from "@/server/domain/enums";
import type { AccountId } from "@/server/domain/ids";
import { accounts } from "./access";
import { moment, nanos } from "./columns";

/** A top-up that a customer pays for: the amount requested, and the provider's reports about it. */
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
    /** ISO 4217, the installation's currency at that time. */
    currency: text().notNull(),
    /** The identifier of the provider's payment page; null: the provider has not confirmed one yet. */
    checkoutId: text(),
    /** The provider's identifier of the payment, which names the ledger's entry. */
    reference: text(),
    /** The amount that the provider has refunded, and how much of it was debited again. */
    refunded: nanos().notNull().default(sql`0`),
    debited: nanos().notNull().default(sql`0`),
    /** The state of a bank's dispute; null: none. */
    dispute: text({ enum: disputeStates }),
    /** The month to which it was credited. */
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
