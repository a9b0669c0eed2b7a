import { and, eq, sql } from "drizzle-orm";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { CapWindow } from "@/server/domain/cap-windows";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { carriesSince, findRests, lockRests, moveRests } from "./carry-over";

const { accountMonths, accounts, holds, keyMonths, ledgerEntries, spendHours } = tables;

/** The cap that a refusal names, and when its next window begins. */
export type Bound = { window: CapWindow; until: Date };

/** The account's month that pays for a call, and the key's part of it. Null: the key may spend all of it. */
export type Payer = {
  accountId: AccountId;
  period: string;
  keyId: KeyId;
  /** The most that the key may have used and frozen of the month, including this call. */
  keyCap: Nanos | null;
  keyBound?: Bound;
  /** The same for the account, in addition to the month's balance. */
  accountCap?: Nanos | null;
  accountBound?: Bound;
  /** The week of the key's cap continues in the next month. The cap is exhausted here once the week has begun there. */
  weekContinues?: boolean;
};

type AccountMonth = { accountId: AccountId; period: string };

/**
 * Creates an account's month with its opening grant, and moves the rest of earlier months' top-ups into it if the
 * account has carry-over. Earlier months are locked first, so that two such calls cannot deadlock. Repeating it changes
 * nothing.
 */
export async function openMonth(db: Db, month: AccountMonth): Promise<void> {
  const since = await carriesSince(db, month.accountId);
  if (since === null || since >= month.period) {
    return await insertMonth(db, month);
  }
  await transaction(db, async (tx) => {
    const rests = await lockRests(tx, month, since);
    await insertMonth(tx, month);
    await moveRests(tx, month, rests);
  });
}

/**
 * Carries over money that has become free in earlier months, for example when a call ends in the next month. Returns
 * the number of accounts.
 */
export async function carryTopups(db: Db, period: string): Promise<number> {
  const accountIds = await findRests(db, period);
  for (const accountId of accountIds) {
    await openMonth(db, { accountId, period });
  }
  return accountIds.length;
}

async function insertMonth(db: Db, month: AccountMonth): Promise<void> {
  await ormOf(db).execute(sql`
    with opened as (
      insert into ${accountMonths} (account_id, period, quota)
      select ${accounts.id}, ${month.period}, ${accounts.monthlyQuota} from ${accounts}
      where ${accounts.id} = ${month.accountId}
      on conflict do nothing
      returning account_id, period, quota
    )
    insert into ${ledgerEntries} (id, account_id, period, kind, amount)
    -- A month whose row was lost still has its grant.
    select 'grant_' || period, account_id, period, 'grant', quota from opened on conflict do nothing`);
}

/**
 * Creates a key's month. The first time, it also creates those of all other keys of the account that have spent in the
 * month: from here on all keys are counted. A statement cannot see a key's row that is newer than its snapshot, so
 * writers add to the row with an upsert; only a reader of a key's month needs it to be open. Repeating it changes
 * nothing.
 */
async function openKeyMonth(db: Db, { accountId, period, keyId }: Payer): Promise<void> {
  const isMonth = and(eq(accountMonths.accountId, accountId), eq(accountMonths.period, period));
  await transaction(db, async (tx) => {
    const orm = ormOf(tx);
    const [month] = await orm
      .select({ countsKeys: accountMonths.countsKeys })
      .from(accountMonths)
      .where(isMonth)
      .for("update");
    if (!month) {
      return;
    }
    if (!month.countsKeys) {
      // The lock stops all changes of this month's money, and every waiting statement will read that keys are counted.
      await orm.execute(sql`
        insert into ${keyMonths} (account_id, period, key_id, used, frozen)
        select ${accountId}, ${period}, key_id, sum(used), sum(frozen) from (
          select key_id, amount as used, 0 as frozen from ${spendHours}
          where account_id = ${accountId} and period = ${period} and key_id <> ''
          union all
          -- The charges of an escrow's calls move into the key's month when the escrow is folded.
          select key_id, -captured, amount from ${holds}
          where account_id = ${accountId} and period = ${period} and key_id is not null
        ) as parts
        group by key_id
        -- An existing row is from a month that was lost, and means nothing: no statement has used it.
        on conflict (account_id, period, key_id) do update set used = excluded.used, frozen = excluded.frozen`);
      await orm.update(accountMonths).set({ countsKeys: true }).where(isMonth);
    }
    const nothing = nanos(0n);
    await orm
      .insert(keyMonths)
      .values({ accountId, period, keyId, used: nothing, frozen: nothing })
      .onConflictDoNothing();
  });
}

/** Opens the months whose absence refused a freeze. */
export async function openPurse(db: Db, purse: Payer): Promise<void> {
  await openMonth(db, purse);
  if (purse.keyCap !== null) {
    await openKeyMonth(db, purse);
  }
}
