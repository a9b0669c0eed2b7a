import { bigint, index, jsonb, pgTable, text } from "drizzle-orm/pg-core";
import type { AccountId } from "@/server/domain/ids";
import { moment } from "./columns";

/** Append-only: every change that a person made, written in the transaction that made it. */
export const auditEntries = pgTable(
  "audit_entries",
  {
    id: bigint({ mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    createdAt: moment().notNull().defaultNow(),
    /** null: the operator commands. */
    userId: text(),
    /** The e-mail at that time; `command` for the operator commands. */
    actor: text().notNull(),
    /** The action: `key.disable`. */
    action: text().notNull(),
    /** The account of the target; null for the operator's own. */
    accountId: text().$type<AccountId>(),
    targetId: text().notNull(),
    /** The target's name for people. */
    targetName: text().notNull(),
    /** Only what changed; never a secret. */
    before: jsonb(),
    after: jsonb(),
    address: text(),
  },
  (table) => [
    index("audit_entries_account").on(table.accountId, table.id),
    index("audit_entries_target").on(table.targetId, table.id),
    index("audit_entries_action").on(table.action, table.id),
  ],
);
