import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { AccountId } from "@/server/base/ids";
import { Refusal } from "@/server/base/refusal";
import { type Tx, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type Account, lockAccount } from "./accounts";
import { removeUser, type UserTarget } from "./user-changes";

const { accounts, apiKeys, managementKeys, users } = tables;

/** Removes a user who is still there, and their e-mail from the keys that they have made. Throws Refusal. */
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
 * Takes away what an account's people and programs are known by: its name, its keys' names and addresses. Its keys and
 * management keys are no more. Answers its users, who are still there. Throws Refusal for one that is not disabled.
 */
export async function eraseAccount(
  tx: Tx,
  accountId: AccountId,
): Promise<{ account: Account; users: { id: string; email: string }[] }> {
  const account = await lockAccount(tx, accountId);
  if (account.status !== "disabled") {
    throw new Refusal("disable the account first: whoever still calls would leave new data", "accountActive");
  }
  const orm = ormOf(tx);
  // A name is nobody else's.
  await orm
    .update(accounts)
    .set({ name: `erased ${accountId.slice(-12)}` })
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
    // The owners last: an account that has people has one of them.
    .orderBy(sql`${users.role} = 'owner'`, asc(users.id));
  return { account, users: people };
}
