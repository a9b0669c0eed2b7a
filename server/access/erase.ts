import { and, asc, eq, isNull, sql } from "drizzle-orm";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { Refusal } from "@/server/domain/refusal";
import { type Account, lockAccount } from "./accounts";
import { removeUser, type UserTarget } from "./people/user-changes";

const { accounts, apiKeys, managementKeys, users } = tables;

/**
 * Deletes a user who still exists, and their e-mail address from the management keys that they created. Throws Refusal.
 */
export async function eraseUser(tx: Tx, { email, ...target }: UserTarget & { email: string }): Promise<void> {
  const [there] = await ormOf(tx).select({ id: users.id }).from(users).where(eq(users.id, target.userId));
  if (there) {
    await removeUser(tx, target);
  }
  await ormOf(tx)
    .update(managementKeys)
    .set({ createdBy: "erased" })
    .where(eq(managementKeys.createdBy, email));
}

/**
 * Erases what identifies an account's users and programs: its name, and its keys' names and addresses. Deletes its keys
 * and management keys. Returns its remaining users. Throws Refusal if the account is not disabled.
 */
export async function eraseAccount(
  tx: Tx,
  accountId: AccountId,
): Promise<{ account: Account; users: { id: string; email: string }[] }> {
  const account = await lockAccount(tx, accountId);
  if (account.status !== "disabled") {
    throw new Refusal("disable the account first, so that it leaves no new data", "accountActive");
  }
  const orm = ormOf(tx);
  // Account names are unique.
  await orm
    .update(accounts)
    .set({
      name: `erased ${accountId.slice(-12)}`,
      ...{ buyerName: null, buyerAddress: null, buyerTaxNumber: null },
    })
    .where(eq(accounts.id, accountId));
  await orm
    .update(apiKeys)
    .set({ name: "erased", status: "disabled", allowedIps: [], lastAddress: null })
    .where(eq(apiKeys.accountId, accountId));
  await orm
    .update(apiKeys)
    .set({ deletedAt: sql`now()` })
    .where(and(eq(apiKeys.accountId, accountId), isNull(apiKeys.deletedAt)));
  await orm.delete(managementKeys).where(eq(managementKeys.accountId, accountId));
  const people = await orm
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(eq(users.accountId, accountId))
    // Owners last: an account with users has an owner.
    .orderBy(sql`${users.role} = 'owner'`, asc(users.id));
  return { account, users: people };
}
