import { index, pgTable, text } from "drizzle-orm/pg-core";
import type { AccountId } from "@/server/domain/ids";
import { accounts } from "./access";
import { moment, nanos } from "./columns";

/** Codes that were created together; each is worth `amount`, once. */
export const codeBatches = pgTable("code_batches", {
  id: text().primaryKey(),
  /** The operator's name for the batch, such as a reseller or a campaign. */
  name: text().notNull(),
  amount: nanos().notNull(),
  /** null: never. */
  expiresAt: moment(),
  /** From this moment on, the remaining codes are refused. */
  disabledAt: moment(),
  createdBy: text().notNull(),
  createdAt: moment().notNull().defaultNow(),
});

/** One code: its holder gets its batch's amount. */
export const redeemCodes = pgTable(
  "redeem_codes",
  {
    /** SHA-256 of its characters, which are random enough to need neither a pepper nor a slow hash. */
    hash: text().primaryKey(),
    batchId: text()
      .notNull()
      .references(() => codeBatches.id),
    lastFour: text().notNull(),
    redeemedAt: moment(),
    /** The account that redeemed it; null: not redeemed. */
    accountId: text()
      .$type<AccountId>()
      .references(() => accounts.id),
  },
  (table) => [index("redeem_codes_batch").on(table.batchId)],
);
