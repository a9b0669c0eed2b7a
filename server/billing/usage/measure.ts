import { sql } from "drizzle-orm";
import { type Db, listPartitions, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";

/** Frozen money in currency units, for charts. */
type BooksMeasure = {
  /** Holds of single calls and tasks. */
  calls: { count: number; money: number };
  /** Money set aside for busy payers. */
  escrows: { count: number; money: number };
  /** Charged out of escrows, but not folded into their months yet. */
  chargedOfEscrows: number;
  /** Holds whose lease ended more than a lease ago. */
  expired: number;
  /** Months after `period` for which the ledger has a partition. */
  monthsAhead: number;
  /** Whether there are rows without a month's partition. */
  hasRest: { ledger_entries: boolean; calls: boolean };
};

/**
 * Time limit of the measurement. Amounts are floating-point numbers with about six exact digits, not for accounting.
 */
const MEASURE_MS = 3_000;
const LEASE = "20 seconds";

const none = { calls: 0, escrows: 0, calls_money: 0, escrows_money: 0, charged: 0, expired: 0 };

/**
 * Reads the rows of frozen money: one per call under way and per busy payer. A million rows take half a second. Throws
 * database errors, and throws after three seconds.
 */
export async function measureBooks(db: Db, period: string): Promise<BooksMeasure> {
  return await transaction(db, async (tx) => {
    const orm = ormOf(tx);
    await orm.execute(sql.raw(`set local statement_timeout = ${MEASURE_MS}`));
    const [row = none] = await orm.execute<typeof none>(sql`
      select count(*) filter (where process_id is null)::float8 as calls,
        count(*) filter (where process_id is not null)::float8 as escrows,
        coalesce(sum(amount) filter (where process_id is null), 0)::float8 / 1e9 as calls_money,
        coalesce(sum(amount) filter (where process_id is not null), 0)::float8 / 1e9 as escrows_money,
        coalesce(sum(captured), 0)::float8 / 1e9 as charged,
        count(*) filter (where expires_at < now() - interval '${sql.raw(LEASE)}')::float8 as expired
      from holds`);
    const [rest] = await orm.execute<{ ledger: boolean; calls: boolean }>(sql`
      select exists (select 1 from ledger_entries_rest) as ledger, exists (select 1 from calls_rest) as calls`);
    const months = await listPartitions(tx, "ledger_entries");
    return {
      calls: { count: row.calls, money: row.calls_money },
      escrows: { count: row.escrows, money: row.escrows_money },
      chargedOfEscrows: row.charged,
      expired: row.expired,
      monthsAhead: months.filter((month) => month > period).length,
      hasRest: { ledger_entries: rest?.ledger ?? false, calls: rest?.calls ?? false },
    };
  });
}
