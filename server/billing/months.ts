import { and, eq, sql } from "drizzle-orm";
import type { CapWindow } from "@/server/base/cap-windows";
import type { AccountId, KeyId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import { carriesSince, findRests, lockRests, moveRests } from "./carry-over";

const { accountMonths, accounts, holds, keyMonths, ledgerEntries, spendHours } = tables;

/** Which cap a refusal would be of, and when another window of it begins. */
export type Bound = { window: CapWindow; until: Date };

/** What a call is paid from: its account's month, and its key's part of that. Null: the key may spend all of it. */
export type Payer = {
  accountId: AccountId;
  period: string;
  keyId: KeyId;
  /** What the key may have used and frozen of the month by then. */
  keyCap: Nanos | null;
  keyBound?: Bound;
  /** The same of the account, beside what the month was granted. */
  accountCap?: Nanos | null;
  accountBound?: Bound;
  /** A week that the key's cap is of goes on in the next month: nothing, once it has begun there. */
  goesOn?: boolean;
};

type Month = { accountId: AccountId; period: string };

/**
 * Gives an account its month, with the grant that opens it, and what is left of earlier months' top-ups where those go
 * on. Earlier months are locked first, so that nobody who does the same waits for the other. Twice changes nothing.
 */
export async function openMonth(db: Db, month: Month): Promise<void> {
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

/** Carries what has become free in earlier months, as when a call ends in the next one. Answers of how many accounts. */
export async function carryTopups(db: Db, period: string): Promise<number> {
  const accountIds = await findRests(db, period);
  for (const accountId of accountIds) {
    await openMonth(db, { accountId, period });
  }
  return accountIds.length;
}

async function insertMonth(db: Db, month: Month): Promise<void> {
  await ormOf(db).execute(sql`
    with opened as (
      insert into ${accountMonths} (account_id, period, quota)
      select ${accounts.id}, ${month.period}, ${accounts.monthlyQuota} from ${accounts}
      where ${accounts.id} = ${month.accountId}
      on conflict do nothing
      returning account_id, period, quota
    )
    insert into ${ledgerEntries} (id, account_id, period, kind, amount)
    -- A month that was lost has its grant.
    select 'grant_' || period, account_id, period, 'grant', quota from opened on conflict do nothing`);
}

/**
 * Gives a key its month, and the first time every other key of the account that has spent in it: from here on all of
 * them are counted. A key whose row came later than a statement's snapshot is invisible to that statement, which
 * therefore adds to whatever row there is; only who reads a key's month needs to have it opened. Twice changes
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
      // Nobody moves this month's money now, and everybody who waits to will read that keys are counted.
      await orm.execute(sql`
        insert into ${keyMonths} (account_id, period, key_id, used, frozen)
        select ${accountId}, ${period}, key_id, sum(used), sum(frozen) from (
          select key_id, amount as used, 0 as frozen from ${spendHours}
          where account_id = ${accountId} and period = ${period} and key_id <> ''
          union all
          -- What an escrow's calls were charged moves into the key's month when it is folded.
          select key_id, -captured, amount from ${holds}
          where account_id = ${accountId} and period = ${period} and key_id is not null
        ) as parts
        group by key_id
        -- A row of before is a month's that was lost, and means nothing: nobody has counted on it.
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

/** Opens what a freeze was refused for the want of. */
export async function openPurse(db: Db, purse: Payer): Promise<void> {
  await openMonth(db, purse);
  if (purse.keyCap !== null) {
    await openKeyMonth(db, purse);
  }
}
