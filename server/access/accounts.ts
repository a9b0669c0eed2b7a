import { and, asc, count, desc, eq, inArray, isNotNull, ne, notInArray, or, sql } from "drizzle-orm";
import type { Nanos } from "@/server/base/money";
import {
  byName,
  type Db,
  findPage,
  newestFirst,
  oldestFirst,
  orRefuse,
  type Page,
  type PageQuery,
  type RowOf,
  reportChange,
  rowOrRefuse,
  tables,
  transaction,
} from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { parseOrRefuse, Refusal } from "@/server/domain/refusal";
import { endSessionsOf } from "./people/sessions";
import { SomeAccountLimits } from "./schema";

const { accounts, userLinks, users } = tables;

const columns = {
  id: accounts.id,
  name: accounts.name,
  status: accounts.status,
  monthlyQuotaNanos: accounts.monthlyQuota,
  requestsPerMinute: accounts.requestsPerMinute,
  tokensPerMinute: accounts.tokensPerMinute,
  maxConcurrent: accounts.maxConcurrent,
  dailyLimit: accounts.dailyLimit,
  outageAllowance: accounts.outageAllowance,
  storesResponses: accounts.storesResponses,
  carriesTopupsSince: accounts.carriesTopupsSince,
  priceGroupId: accounts.priceGroupId,
  buyerName: accounts.buyerName,
  buyerAddress: accounts.buyerAddress,
  buyerTaxNumber: accounts.buyerTaxNumber,
  createdAt: accounts.createdAt,
};

/**
 * An account with its limits, which an operator sets on all of its keys together; null: no limit. Money in nano-units.
 */
export type Account = RowOf<typeof columns>;

const accountUnknown = (nameOrId: string) =>
  new Refusal(`account "${nameOrId}" does not exist`, "accountUnknown");

const nameTaken = (name: string) =>
  new Refusal(`an account named "${name}" already exists`, "accountNameTaken", { name });

/** Creates an account. Limits that are left out are not set. Throws Refusal if the name is taken. */
export async function createAccount(
  db: Db,
  { name, monthlyQuotaNanos, ...limits }: { name: string; monthlyQuotaNanos: Nanos } & SomeAccountLimits,
): Promise<Account> {
  return await rowOrRefuse(
    ormOf(db)
      .insert(accounts)
      .values({
        id: newId("acc"),
        name,
        monthlyQuota: monthlyQuotaNanos,
        ...parseOrRefuse(SomeAccountLimits, limits),
      })
      .onConflictDoNothing()
      .returning(columns),
    () => nameTaken(name),
  );
}

/** Throws Refusal. */
export async function getAccount(db: Db, accountId: AccountId): Promise<Account> {
  return await rowOrRefuse(
    ormOf(db).select(columns).from(accounts).where(eq(accounts.id, accountId)).limit(1),
    () => accountUnknown(accountId),
  );
}

/** Finds an account by identifier, or else by the name that a user typed. Throws Refusal. */
export async function getAccountByNameOrId(db: Db, nameOrId: string): Promise<Account> {
  const isId = sql`${accounts.id} = ${nameOrId}`;
  return await rowOrRefuse(
    ormOf(db)
      .select(columns)
      .from(accounts)
      .where(or(isId, eq(accounts.name, nameOrId)))
      // An identifier takes precedence over another account's name.
      .orderBy(desc(isId))
      .limit(1),
    () => accountUnknown(nameOrId),
  );
}

export async function listAccounts(db: Db): Promise<Account[]> {
  return await ormOf(db).select(columns).from(accounts).orderBy(asc(accounts.id));
}

/** The number of accounts, and of those that are active. */
export async function countAccounts(db: Db): Promise<{ active: number; total: number }> {
  const [counted] = await ormOf(db)
    .select({
      active: sql`count(*) filter (where ${accounts.status} = 'active')`.mapWith(Number),
      total: count(),
    })
    .from(accounts);
  return counted ?? { active: 0, total: 0 };
}

/** The names of some accounts, by identifier. */
export async function findAccountNames(db: Db, accountIds: AccountId[]): Promise<Map<string, string>> {
  const rows = await ormOf(db)
    .select({ id: accounts.id, name: accounts.name })
    .from(accounts)
    .where(inArray(accounts.id, accountIds));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

/** `search`: a part of the name, case-insensitive, or the whole identifier. */
export type AccountFilter = {
  search?: string | undefined;
  status?: Account["status"] | undefined;
  priceGroupId?: string | undefined;
  /** Only these accounts. */
  among?: AccountId[] | undefined;
  /** Without these accounts. */
  except?: AccountId[] | undefined;
};

/** Each order uses an index. */
const orders = {
  "-created": newestFirst(accounts.id),
  created: oldestFirst(accounts.id),
  name: byName(accounts.name, false),
  "-name": byName(accounts.name, true),
} as const;

export async function listAccountPage(
  db: Db,
  filter: AccountFilter,
  { sort = "-created", ...page }: PageQuery & { sort?: keyof typeof orders },
): Promise<Page<Account>> {
  const search = filter.search?.trim() ?? "";
  return await findPage<Account>(orders[sort], page, ({ behind, orderBy, limit }) =>
    ormOf(db)
      .select(columns)
      .from(accounts)
      .where(
        and(
          // Not `ilike`: a search text has no wildcards.
          search === ""
            ? undefined
            : sql`(${accounts.id} = ${search} or strpos(lower(${accounts.name}), lower(${search})) > 0)`,
          filter.status && eq(accounts.status, filter.status),
          filter.priceGroupId === undefined ? undefined : eq(accounts.priceGroupId, filter.priceGroupId),
          filter.among && inArray(accounts.id, filter.among),
          filter.except && notInArray(accounts.id, filter.except),
          behind,
        ),
      )
      .orderBy(...orderBy)
      .limit(limit),
  );
}

/**
 * Returns the account and locks its row until the transaction ends, so that the change applies to exactly what was
 * read. Throws Refusal.
 */
export async function lockAccount(db: Db, accountId: AccountId): Promise<Account> {
  return await rowOrRefuse(
    ormOf(db).select(columns).from(accounts).where(eq(accounts.id, accountId)).for("no key update"),
    () => accountUnknown(accountId),
  );
}

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
    await ormOf(tx).update(accounts).set({ status: change.status }).where(eq(accounts.id, change.accountId));
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
      await ormOf(tx).update(accounts).set(values).where(eq(accounts.id, accountId));
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
    await ormOf(tx).update(accounts).set({ storesResponses }).where(eq(accounts.id, accountId));
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
    await ormOf(tx).update(accounts).set({ priceGroupId }).where(eq(accounts.id, accountId));
    await reportChange(tx, "access");
    return before;
  });
}

/** The accounts in each price group, by group. */
export async function listGroupMembers(db: Db): Promise<Map<string, AccountId[]>> {
  const rows = await ormOf(db)
    .select({ id: accounts.id, priceGroupId: accounts.priceGroupId })
    .from(accounts)
    .where(isNotNull(accounts.priceGroupId))
    .orderBy(asc(accounts.id));
  const members = new Map<string, AccountId[]>();
  for (const { id, priceGroupId } of rows) {
    const group = priceGroupId ?? "";
    members.set(group, [...(members.get(group) ?? []), id]);
  }
  return members;
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
    await ormOf(tx).update(accounts).set({ carriesTopupsSince }).where(eq(accounts.id, accountId));
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
      await ormOf(tx).update(accounts).set(buyer).where(eq(accounts.id, accountId));
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
    const renamed = ormOf(tx)
      .update(accounts)
      .set({ name: change.name })
      .where(eq(accounts.id, change.accountId));
    await orRefuse(renamed, "duplicate", () => nameTaken(change.name));
    return before;
  });
}
