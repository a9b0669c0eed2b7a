import type { ISql } from "postgres";
import type { AccountId } from "@/server/base/ids";
import { Refusal } from "@/server/base/refusal";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";
import { type Balance, toBalance } from "./balances";
import { type LedgerEntry, selectEntries } from "./entries";

/** A month of one account's. */
type Statement = { accountId: AccountId; period: string };

/** `cursor`: the `nextCursor` of the page before. */
export type Page = { cursor?: string | undefined; limit: number };

/** Captures have the index of the whole month; the others their own, which holds no captures. */
function ofKind(sql: ISql, kind: LedgerEntry["kind"] | undefined) {
  if (kind === undefined) {
    return sql``;
  }
  return kind === "capture" ? sql`and kind = 'capture'` : sql`and kind <> 'capture' and kind = ${kind}`;
}

/**
 * One page of a month's entries, newest first. `nextCursor` null: there are no more. Throws Refusal on a cursor that
 * is none.
 */
export async function listStatement(
  db: Db,
  filter: Statement & { kind?: LedgerEntry["kind"] | undefined },
  { cursor, limit }: Page,
): Promise<{ rows: LedgerEntry[]; nextCursor: string | null }> {
  const sql = sqlOf(db);
  if (cursor !== undefined && !/^\d{1,18}$/.test(cursor)) {
    throw new Refusal("this page does not exist", "pageUnknown");
  }
  const found = await selectEntries(
    sql,
    sql`where account_id = ${filter.accountId} and period = ${filter.period} ${ofKind(sql, filter.kind)}
      ${cursor === undefined ? sql`` : sql`and ledger_entries.id < ${cursor}`}
      order by ledger_entries.id desc limit ${limit + 1}`,
  );
  const rows = found.slice(0, limit);
  return { rows, nextCursor: found.length > limit ? (rows.at(-1)?.id ?? null) : null };
}

const EXPORT_ROWS = 500;

/**
 * All entries of a month, oldest first, in batches. Each batch is a query of its own: however slowly the reader takes
 * them, no connection waits for it.
 */
export async function* exportStatement(
  db: Db,
  { accountId, period }: Statement,
): AsyncGenerator<LedgerEntry[]> {
  const sql = sqlOf(db);
  let last = "0";
  for (;;) {
    const rows = await selectEntries(
      sql,
      sql`where account_id = ${accountId} and period = ${period} and ledger_entries.id > ${last}
        order by ledger_entries.id limit ${EXPORT_ROWS}`,
    );
    if (rows.length > 0) {
      yield rows;
    }
    const newest = rows.at(-1);
    if (!newest || rows.length < EXPORT_ROWS) {
      return;
    }
    last = newest.id;
  }
}

const MAX_PERIODS = 240;

/** An account's months, newest first. */
export async function listPeriods(db: Db, accountId: AccountId): Promise<Balance[]> {
  const sql = sqlOf(db);
  const rows = await sql<{ period: string; quota: string; topups: string; used: string; frozen: string }[]>`
    select period, quota::text, topups::text, used::text, frozen::text from account_months
    where account_id = ${accountId} order by period desc limit ${MAX_PERIODS}`;
  return rows.map((row) => toBalance(row.period, row));
}
