import type { ISql } from "postgres";
import { nanos } from "@/server/base/money";
import { type Charge, verifyLedger } from "@/server/billing";
import type { Database } from "@/server/db";
import { isDistributed, sqlOf } from "@/server/db/handles";
import type { UsageSource } from "@/server/domain/enums";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { branded } from "./branded";
import { openFresh } from "./database";
import { until } from "./until";

export type LedgerEntry = {
  requestId: string;
  accountId: AccountId;
  period: string;
  kind: "capture" | "release";
  amount: string;
  held: string;
  usageSource: UsageSource | null;
  note: string | null;
};

type MonthRow = {
  accountId: AccountId;
  period: string;
  quota: bigint;
  topups: bigint;
  used: bigint;
  frozen: bigint;
};

type AsText<Row> = Record<keyof Row, string>;

/** A key's month, if its account counts its keys. */
type KeyMonthRow = { keyId: KeyId; period: string; used: bigint; frozen: bigint };

type EscrowRow = {
  id: string;
  accountId: AccountId;
  period: string;
  keyId: KeyId;
  amount: bigint;
  captured: bigint;
};

/** Reads the ledger from outside the rooms. */
export type Ledger = ReturnType<typeof openLedger>;

/** The charge for a capture. Only the amount, the counts and their source matter to billing. */
export const chargeOf = (amount: bigint, source: UsageSource = "upstream"): Charge => ({
  amount: nanos(amount),
  source,
  usage: {
    ...{ inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, cacheWrite1hTokens: 0 },
    ...{ outputTokens: 1, reasoningTokens: 0 },
  },
  prices: {
    ...{ input: nanos(1n), cacheRead: nanos(1n), cacheWrite: nanos(1n), cacheWrite1h: nanos(1n) },
    output: nanos(1n),
  },
  modelId: "model-test",
  channelId: branded("chn_test"),
});

async function readMonths(sql: ISql, accountIds: AccountId[]): Promise<MonthRow[]> {
  const rows = await sql<(AsText<MonthRow> & { accountId: AccountId })[]>`
    select account_id as "accountId", period, quota::text, topups::text, used::text, frozen::text
    from account_months where account_id = any(${accountIds})`;
  return rows.map(({ accountId, period, ...figures }) => ({
    ...{ accountId, period, quota: BigInt(figures.quota), topups: BigInt(figures.topups) },
    ...{ used: BigInt(figures.used), frozen: BigInt(figures.frozen) },
  }));
}

async function readKeyMonths(sql: ISql, keyIds: KeyId[]): Promise<KeyMonthRow[]> {
  const rows = await sql<(AsText<KeyMonthRow> & { keyId: KeyId })[]>`
    select key_id as "keyId", period, used::text, frozen::text from key_months
    where key_id = any(${keyIds})`;
  return rows.map((row) => ({ ...row, used: BigInt(row.used), frozen: BigInt(row.frozen) }));
}

async function readEscrows(sql: ISql, accountIds: AccountId[]): Promise<EscrowRow[]> {
  const rows = await sql<(EscrowRow & { amount: string; captured: string })[]>`
    select request_id as id, account_id as "accountId", period, key_id as "keyId", amount::text, captured::text
    from holds where account_id = any(${accountIds}) and process_id is not null order by request_id`;
  return rows.map((row) => ({ ...row, amount: BigInt(row.amount), captured: BigInt(row.captured) }));
}

export function openLedger(url: string) {
  const db = openFresh(url, { connections: 2 });
  const sql = sqlOf(db);
  const processes = new Map<number, Database>();
  const entriesOfAll = async (requestIds: string[]) => [
    ...(await sql<LedgerEntry[]>`
      select id as "requestId", account_id as "accountId", period, kind, amount::text, held::text,
        usage_source as "usageSource", note
      from ledger_entries where id = any(${requestIds}) order by created_at, is_lost desc`),
  ];
  return {
    db,
    /** The same database, opened once for each process number; `kill` ends it with its process. */
    databaseOf: (process: number) => {
      const own = processes.get(process) ?? openFresh(url, { connections: 2 });
      processes.set(process, own);
      return own;
    },
    kill: async (process: number) => {
      const own = processes.get(process);
      processes.delete(process);
      await own?.close();
    },
    close: async () => {
      await Promise.all([db, ...processes.values()].map((each) => each.close()));
    },
    /** For some accounts, or for all: every figure that differs from its sum. */
    verify: (accountIds?: AccountId[]) => verifyLedger(db, { accountIds }),
    entriesOf: (requestId: string) => entriesOfAll([requestId]),
    entriesOfAll,
    months: (accountIds: AccountId[]) => readMonths(sql, accountIds),
    carried: async (accountIds: AccountId[]) => {
      const rows = await sql<
        { id: string; accountId: AccountId; period: string; amount: string; other: string }[]
      >`
        select id, account_id as "accountId", period, amount::text, note as other from ledger_entries
        where account_id = any(${accountIds}) and kind = 'carryover'`;
      return rows.map((row) => ({ ...row, amount: BigInt(row.amount) }));
    },
    keyMonths: (keyIds: KeyId[]) => readKeyMonths(sql, keyIds),
    escrows: (accountIds: AccountId[]) => readEscrows(sql, accountIds),
    /** All three at one moment, while processes fold their escrows. */
    books: ({ accountIds, keyIds }: { accountIds: AccountId[]; keyIds: KeyId[] }) =>
      sql.begin("isolation level repeatable read read only", async (tx) => ({
        months: await readMonths(tx, accountIds),
        keyMonths: await readKeyMonths(tx, keyIds),
        escrows: await readEscrows(tx, accountIds),
      })),
    openHolds: async (requestIds: string[]) => {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from holds where request_id = any(${requestIds})`;
      return row?.count ?? 0;
    },
    allHolds: async () => {
      const [row] = await sql<{ count: number }[]>`select count(*)::int as count from holds`;
      return row?.count ?? 0;
    },
    /** Ends leases now, as if their process had been dead for a long time. */
    expire: async (requestIds: string[]) => {
      await sql`
        update holds set expires_at = now() - interval '1 second' where request_id = any(${requestIds})`;
    },
    /** The remaining seconds of a hold's lease. */
    leaseOf: async (requestId: string) => {
      const [row] = await sql<{ seconds: number }[]>`
        select extract(epoch from expires_at - now())::float as seconds from holds
        where request_id = ${requestId}`;
      return row?.seconds ?? 0;
    },
    /** The number of statements that wait for another one's lock. */
    waiters: async () => {
      // If accounts are spread over machines, statements wait there.
      const [row] = isDistributed(db)
        ? await sql<{ count: number }[]>`
            select count(distinct waiting_gpid)::int as count from citus_lock_waits`
        : await sql<{ count: number }[]>`
            select count(*)::int as count from pg_stat_activity
            where datname = current_database() and wait_event_type = 'Lock'`;
      return row?.count ?? 0;
    },
    /** Waits until the database has been up for a lease; before that, billing sweeps nothing. */
    outlastStart: (leaseSeconds: number) =>
      until(
        async () => {
          const [row] = await sql<{ isOld: boolean }[]>`
            select pg_postmaster_start_time() < now() - make_interval(secs => ${leaseSeconds}) as "isOld"`;
          return row?.isOld === true;
        },
        (leaseSeconds + 5) * 1000,
      ),
  };
}
