import { and, eq, inArray, ne } from "drizzle-orm";
import { type Db, orRefuse, reportChange, type Tx, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { AccountId } from "@/server/domain/ids";
import { parseOrRefuse } from "@/server/domain/refusal";
import { type Account, getAccount, lockAccount, nameTaken } from "./accounts";
import { endSessionsOf } from "./people/sessions";
import { SomeAccountLimits } from "./schema";

const { accounts, userLinks, users } = tables;

type Columns = typeof accounts.$inferInsert;
type SomeColumns = { [Name in keyof Columns]?: Columns[Name] | undefined };

const setColumns = (tx: Tx, accountId: AccountId, columns: SomeColumns) =>
  ormOf(tx).update(accounts).set(columns).where(eq(accounts.id, accountId));

/**
 * Every process applies it within a second. Disabling ends all console sessions and unused links for good: after
 * enabling, users sign in again. Returns the account before the change. Throws Refusal.
 */
export async function setAccountStatus(
  db: Db,
  change: { accountId: AccountId; status: Account["status"] },
): Promise<Account> {
  return await transaction(db, async (tx) => {
    const before = await lockAccount(tx, change.accountId);
    await setColumns(tx, change.accountId, { status: change.status });
    if (change.status === "disabled") {
      // Locks the users first, like all code that creates and uses links.
      await endSessionsOf(tx, eq(users.accountId, change.accountId));
      const own = ormOf(tx).select({ id: users.id }).from(users).where(eq(users.accountId, change.accountId));
      await ormOf(tx).delete(userLinks).where(inArray(userLinks.userId, own));
    }
    await reportChange(tx, "access");
    return before;
  });
}

/**
 * Fields that are left out stay unchanged; null removes a limit. Every process applies it to new calls within a second.
 * Returns the account before the change. Throws Refusal.
 */
export async function setAccountLimits(
  db: Db,
  { accountId, ...limits }: { accountId: AccountId } & SomeAccountLimits,
): Promise<Account> {
  const values = parseOrRefuse(SomeAccountLimits, limits);
  return await transaction(db, async (tx) => {
    const before = await lockAccount(tx, accountId);
    if (Object.values(values).some((value) => value !== undefined)) {
      await setColumns(tx, accountId, values);
      await reportChange(tx, "access");
    }
    return before;
  });
}

/** Every process applies it within a second. Returns the account before the change. Throws Refusal. */
export async function setStoresResponses(
  db: Db,
  { accountId, storesResponses }: { accountId: AccountId; storesResponses: boolean },
): Promise<Account> {
  return await transaction(db, async (tx) => {
    const before = await lockAccount(tx, accountId);
    await setColumns(tx, accountId, { storesResponses });
    await reportChange(tx, "access");
    return before;
  });
}

/**
 * Sets the price group of an account, or with null the usual prices. Every process applies it to new calls within a
 * second. Returns the account before the change. Throws Refusal.
 */
export async function setPriceGroup(
  db: Db,
  { accountId, priceGroupId }: { accountId: AccountId; priceGroupId: string | null },
): Promise<Account> {
  return await transaction(db, async (tx) => {
    const before = await lockAccount(tx, accountId);
    await setColumns(tx, accountId, { priceGroupId });
    await reportChange(tx, "access");
    return before;
  });
}

/**
 * Switches carry-over on, from the end of the month `period`, or off: the rest of top-ups moves to the next month.
 * Rests of earlier months have expired. Returns the account before the change. Throws Refusal.
 */
export async function setCarriesTopups(
  db: Db,
  { accountId, carriesTopups, period }: { accountId: AccountId; carriesTopups: boolean; period: string },
): Promise<Account> {
  return await transaction(db, async (tx) => {
    const before = await lockAccount(tx, accountId);
    const carriesTopupsSince = carriesTopups ? (before.carriesTopupsSince ?? period) : null;
    await setColumns(tx, accountId, { carriesTopupsSince });
    return before;
  });
}

/** The buyer on an account's invoices; null: not given. */
export type Buyer = Pick<Account, "buyerName" | "buyerAddress" | "buyerTaxNumber">;

/** Members that are left out stay. Returns the account before and after the change. Throws Refusal. */
export async function setBuyer(
  db: Db,
  { accountId, ...buyer }: { accountId: AccountId } & { [Name in keyof Buyer]?: Buyer[Name] | undefined },
): Promise<{ before: Account; after: Account }> {
  return await transaction(db, async (tx) => {
    const before = await lockAccount(tx, accountId);
    if (Object.values(buyer).some((value) => value !== undefined)) {
      await setColumns(tx, accountId, buyer);
    }
    return { before, after: await getAccount(tx, accountId) };
  });
}

/** Returns the account before the change. Throws Refusal if the name is taken. */
export async function renameAccount(
  db: Db,
  change: { accountId: AccountId; name: string },
): Promise<Account> {
  return await transaction(db, async (tx) => {
    const before = await lockAccount(tx, change.accountId);
    const [namesake] = await ormOf(tx)
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(eq(accounts.name, change.name), ne(accounts.id, change.accountId)))
      .limit(1);
    if (namesake) {
      throw nameTaken(change.name);
    }
    // If two changes take one name at the same moment, the unique index refuses the later one.
    const renamed = setColumns(tx, change.accountId, { name: change.name });
    await orRefuse(renamed, "duplicate", () => nameTaken(change.name));
    return before;
  });
}
