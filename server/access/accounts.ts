import { and, asc, desc, eq, inArray, lt, ne, or, sql } from "drizzle-orm";
import { newId } from "@/server/base/ids";
import { parseOrRefuse, Refusal } from "@/server/base/refusal";
import { type Queryable, reportChange, tables } from "@/server/db";
import { type AccountLimits, SomeAccountLimits } from "./schema";
import { endSessionsOf } from "./sessions";

const { accounts, userLinks, users } = tables;

export type Account = {
  id: string;
  name: string;
  status: "active" | "disabled";
  monthlyQuotaNanos: bigint;
  createdAt: Date;
  /** Of all its keys together, by an operator's word. null: none. */
} & AccountLimits;

const columns = {
  id: accounts.id,
  name: accounts.name,
  status: accounts.status,
  monthlyQuotaNanos: accounts.monthlyQuota,
  requestsPerMinute: accounts.requestsPerMinute,
  tokensPerMinute: accounts.tokensPerMinute,
  maxConcurrent: accounts.maxConcurrent,
  createdAt: accounts.createdAt,
};

const accountUnknown = (nameOrId: string) =>
  new Refusal(`there is no account "${nameOrId}"`, "accountUnknown");

const nameTaken = (name: string) =>
  new Refusal(`an account named "${name}" exists already`, "accountNameTaken", { name });

/** A limit that is not named is none. Fails on a name that is taken. Throws Refusal. */
export async function createAccount(
  db: Queryable,
  { name, monthlyQuotaNanos, ...limits }: { name: string; monthlyQuotaNanos: bigint } & SomeAccountLimits,
): Promise<Account> {
  const [row] = await db
    .insert(accounts)
    .values({
      id: newId("acc"),
      name,
      monthlyQuota: monthlyQuotaNanos,
      ...parseOrRefuse(SomeAccountLimits, limits),
    })
    .onConflictDoNothing()
    .returning(columns);
  if (!row) {
    throw nameTaken(name);
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
    throw accountUnknown(nameOrId);
  }
  return row;
}

export async function listAccounts(db: Queryable): Promise<Account[]> {
  return await db.select(columns).from(accounts).orderBy(asc(accounts.id));
}

/** How many accounts there are, and how many of them may call. */
export async function countAccounts(db: Queryable): Promise<{ active: number; total: number }> {
  const [counted] = await db
    .select({
      active: sql<number>`count(*) filter (where ${accounts.status} = 'active')::int`,
      total: sql<number>`count(*)::int`,
    })
    .from(accounts);
  return counted ?? { active: 0, total: 0 };
}

/** The names of some accounts, by identifier. */
export async function findAccountNames(db: Queryable, accountIds: string[]): Promise<Map<string, string>> {
  const rows = await db
    .select({ id: accounts.id, name: accounts.name })
    .from(accounts)
    .where(inArray(accounts.id, accountIds));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** `search`: a part of the name in any case, or the whole identifier. */
export type AccountFilter = { search?: string | undefined; status?: Account["status"] | undefined };

/**
 * A page of accounts, newest first. `cursor` is the last identifier of the page before; null: there is no next one.
 */
export async function listAccountPage(
  db: Queryable,
  filter: AccountFilter,
  page: { cursor?: string | undefined; limit: number },
): Promise<{ rows: Account[]; nextCursor: string | null }> {
  const search = filter.search?.trim() ?? "";
  const found = await db
    .select(columns)
    .from(accounts)
    .where(
      and(
        // Not `ilike`: what a person types has no wildcards.
        search === ""
          ? undefined
          : or(eq(accounts.id, search), sql`strpos(lower(${accounts.name}), lower(${search})) > 0`),
        filter.status && eq(accounts.status, filter.status),
        page.cursor === undefined ? undefined : lt(accounts.id, page.cursor),
      ),
    )
    .orderBy(desc(accounts.id))
    // One more than the page holds tells whether there is another.
    .limit(page.limit + 1);
  const rows = found.slice(0, page.limit);
  return { rows, nextCursor: found.length > page.limit ? (rows.at(-1)?.id ?? null) : null };
}

/**
 * The account by its identifier as it is now, its row locked until the transaction ends: what is read is what the
 * change finds. Throws Refusal.
 */
export async function lockAccount(db: Queryable, accountId: string): Promise<Account> {
  const [row] = await db
    .select(columns)
    .from(accounts)
    .where(eq(accounts.id, accountId))
    .for("no key update");
  if (!row) {
    throw accountUnknown(accountId);
  }
  return row;
}

/**
 * In force in every process within a second. Disabling ends the console's sessions and unused links for good: who is
 * let in again signs in again. Answers the account as it was before. Throws Refusal.
 */
export async function setAccountStatus(
  db: Queryable,
  change: { accountId: string; status: Account["status"] },
): Promise<Account> {
  return await db.transaction(async (transaction) => {
    const before = await lockAccount(transaction, change.accountId);
    await transaction
      .update(accounts)
      .set({ status: change.status })
      .where(eq(accounts.id, change.accountId));
    if (change.status === "disabled") {
      // Locks the users first, as whatever makes and uses links does.
      await endSessionsOf(transaction, eq(users.accountId, change.accountId));
      const own = transaction
        .select({ id: users.id })
        .from(users)
        .where(eq(users.accountId, change.accountId));
      await transaction.delete(userLinks).where(inArray(userLinks.userId, own));
    }
    await reportChange(transaction, "access");
    return before;
  });
}

/**
 * What is not named stays as it is; null lifts a limit. In force in every process within a second, for calls from then
 * on. Answers the account as it was before. Throws Refusal.
 */
export async function setAccountLimits(
  db: Queryable,
  { accountId, ...limits }: { accountId: string } & SomeAccountLimits,
): Promise<Account> {
  const values = parseOrRefuse(SomeAccountLimits, limits);
  return await db.transaction(async (transaction) => {
    const before = await lockAccount(transaction, accountId);
    if (Object.values(values).some((value) => value !== undefined)) {
      await transaction.update(accounts).set(values).where(eq(accounts.id, accountId));
      await reportChange(transaction, "access");
    }
    return before;
  });
}

/** Answers the account as it was before. Throws Refusal on a name that is taken. */
export async function renameAccount(
  db: Queryable,
  change: { accountId: string; name: string },
): Promise<Account> {
  return await db.transaction(async (transaction) => {
    const before = await lockAccount(transaction, change.accountId);
    const [taken] = await transaction
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(eq(accounts.name, change.name), ne(accounts.id, change.accountId)))
      .limit(1);
    if (taken) {
      throw nameTaken(change.name);
    }
    // Two that take one name at the same moment: the unique index fails the later one.
    await transaction.update(accounts).set({ name: change.name }).where(eq(accounts.id, change.accountId));
    return before;
  });
}
