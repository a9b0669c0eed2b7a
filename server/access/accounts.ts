import { asc, eq, or } from "drizzle-orm";
import { type Queryable, reportChange, tables } from "@/server/db";
import { newId } from "@/server/ids";
import { Refusal } from "@/server/refusal";

const { accounts } = tables;

export type Account = { id: string; name: string; status: "active" | "disabled"; monthlyQuotaNanos: bigint };

const columns = {
  id: accounts.id,
  name: accounts.name,
  status: accounts.status,
  monthlyQuotaNanos: accounts.monthlyQuota,
};

/** Fails on a name that is taken. */
export async function createAccount(
  db: Queryable,
  account: { name: string; monthlyQuotaNanos: bigint },
): Promise<Account> {
  const [row] = await db
    .insert(accounts)
    .values({ id: newId("acc"), name: account.name, monthlyQuota: account.monthlyQuotaNanos })
    .onConflictDoNothing()
    .returning(columns);
  if (!row) {
    throw new Refusal(`an account named "${account.name}" exists already`);
  }
  return row;
}

/** By identifier or name. Throws Refusal. */
export async function getAccount(db: Queryable, nameOrId: string): Promise<Account> {
  const [row] = await db
    .select(columns)
    .from(accounts)
    .where(or(eq(accounts.id, nameOrId), eq(accounts.name, nameOrId)))
    .limit(1);
  if (!row) {
    throw new Refusal(`there is no account "${nameOrId}"`);
  }
  return row;
}

export async function listAccounts(db: Queryable): Promise<Account[]> {
  return await db.select(columns).from(accounts).orderBy(asc(accounts.id));
}

/** In force in every process within a second. Twice changes nothing. */
export async function setAccountStatus(
  db: Queryable,
  change: { accountId: string; status: Account["status"] },
): Promise<void> {
  await db.update(accounts).set({ status: change.status }).where(eq(accounts.id, change.accountId));
  await reportChange(db, "access");
}
