import { and, eq, gt, inArray, isNotNull, isNull, lte, or, sql } from "drizzle-orm";
import { type Db, findPage, newestFirst, type Page, type PageQuery, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { KeyState } from "@/server/domain/enums";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { type ApiKey, keyColumns } from "./keys";

const { accounts, apiKeys } = tables;

export type KeyFilter = {
  accountId?: AccountId | undefined;
  /** A part of the name, or of the last four characters of an accepted secret, case-insensitive. */
  search?: string | undefined;
  status?: KeyState | undefined;
};

function inStatus(status: KeyFilter["status"]) {
  if (status === undefined) {
    return undefined;
  }
  const isEnabled = eq(apiKeys.status, "active");
  const now = sql`now()`;
  const states = {
    active: and(isEnabled, or(isNull(apiKeys.expiresAt), gt(apiKeys.expiresAt, now))),
    disabled: eq(apiKeys.status, "disabled"),
    expired: and(isEnabled, isNotNull(apiKeys.expiresAt), lte(apiKeys.expiresAt, now)),
  };
  return states[status];
}

/** Newest first. */
export async function listKeyPage(db: Db, filter: KeyFilter, page: PageQuery): Promise<Page<ApiKey>> {
  const search = filter.search?.trim() ?? "";
  // Not `ilike`: a search text has no wildcards. The line end keeps a match within one field.
  const text = sql`lower(concat_ws(E'\n', ${apiKeys.name}, ${apiKeys.lastFour}, ${keyColumns.oldLastFour}))`;
  return await findPage(newestFirst(apiKeys.id), page, ({ behind, orderBy, limit }) =>
    ormOf(db)
      .select(keyColumns)
      .from(apiKeys)
      .where(
        and(
          isNull(apiKeys.deletedAt),
          eq(apiKeys.isConsole, false),
          filter.accountId === undefined ? undefined : eq(apiKeys.accountId, filter.accountId),
          search === ""
            ? undefined
            : sql`(${apiKeys.id} = ${search} or strpos(${text}, lower(${search})) > 0)`,
          inStatus(filter.status),
          behind,
        ),
      )
      .orderBy(...orderBy)
      .limit(limit),
  );
}

/** Active keys with a cap, of some accounts, or of all (null). */
export async function listCappedKeys(db: Db, accountIds: AccountId[] | null) {
  return await ormOf(db)
    .select({
      id: apiKeys.id,
      accountId: apiKeys.accountId,
      name: apiKeys.name,
      dailyCap: apiKeys.dailyCap,
      weeklyCap: apiKeys.weeklyCap,
      monthlyCap: apiKeys.monthlyCap,
    })
    .from(apiKeys)
    .where(
      and(
        or(isNotNull(apiKeys.dailyCap), isNotNull(apiKeys.weeklyCap), isNotNull(apiKeys.monthlyCap)),
        isNull(apiKeys.deletedAt),
        eq(apiKeys.status, "active"),
        accountIds === null ? undefined : inArray(apiKeys.accountId, accountIds),
      ),
    );
}

/** Active accounts with a daily limit: some of them, or all (null). */
export async function listLimitedAccounts(db: Db, accountIds: AccountId[] | null) {
  const rows = await ormOf(db)
    .select({ id: accounts.id, dailyLimit: accounts.dailyLimit })
    .from(accounts)
    .where(
      and(
        isNotNull(accounts.dailyLimit),
        eq(accounts.status, "active"),
        accountIds === null ? undefined : inArray(accounts.id, accountIds),
      ),
    );
  return rows.flatMap(({ id, dailyLimit }) => (dailyLimit === null ? [] : [{ id, dailyLimit }]));
}

/** The name of a key in lists of calls and charges, including deleted keys and the console's own. */
export type KeyName = { name: string; lastFour: string; isDeleted: boolean };

/** The names of some keys, by identifier; only of one account if it is given. */
export async function findKeyNames(
  db: Db,
  keyIds: KeyId[],
  accountId?: AccountId,
): Promise<Map<string, KeyName>> {
  if (keyIds.length === 0) {
    return new Map();
  }
  const rows = await ormOf(db)
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      lastFour: apiKeys.lastFour,
      isDeleted: sql`${apiKeys.deletedAt} is not null`.mapWith(Boolean),
    })
    .from(apiKeys)
    .where(
      and(
        inArray(apiKeys.id, keyIds),
        accountId === undefined ? undefined : eq(apiKeys.accountId, accountId),
      ),
    );
  return new Map(rows.map(({ id, ...name }) => [id, name]));
}
