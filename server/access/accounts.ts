import { and, asc, count, desc, eq, inArray, isNotNull, notInArray, or, sql } from "drizzle-orm";
import type { Nanos } from "@/server/base/money";
import {
  byName,
  type Db,
  findPage,
  newestFirst,
  oldestFirst,
  type Page,
  type PageQuery,
  type RowOf,
  rowOrRefuse,
  tables,
} from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { type AccountId, newId } from "@/server/domain/ids";
import { parseOrRefuse, Refusal } from "@/server/domain/refusal";
import { SomeAccountLimits } from "./schema";

const { accounts } = tables;

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

export const nameTaken = (name: string) =>
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
 * Returns the account and locks its row until the transaction ends, so that the change applies to exactly what was
 * read. Throws Refusal.
 */
export async function lockAccount(db: Db, accountId: AccountId): Promise<Account> {
  return await rowOrRefuse(
    ormOf(db).select(columns).from(accounts).where(eq(accounts.id, accountId)).for("no key update"),
    () => accountUnknown(accountId),
  );
}
