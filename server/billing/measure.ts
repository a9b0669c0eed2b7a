import { sql } from "drizzle-orm";
import { type Db, listPartitions, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";

/** What is frozen now, in currency units: for charts, which draw numbers. */
type BooksMeasure = {
  /** Of single calls and tasks. */
  calls: { count: number; money: number };
  /** Set aside for busy payers. */
  escrows: { count: number; money: number };
  /** Charged out of escrows, which their months have not been told yet. */
  chargedOfEscrows: number;
  /** Holds whose lease ended more than a lease ago. */
  expired: number;
  /** Months behind `period` for which the ledger has a partition. */
  monthsAhead: number;
  /** Whether there are rows that have no month's partition. */
  hasRest: { ledger_entries: boolean; calls: boolean };
};

/** Money is read as a whole and told to six digits or so: it is not for books. */
const MEASURE_MS = 3_000;
const LEASE = "20 seconds";

const none = { calls: 0, escrows: 0, calls_money: 0, escrows_money: 0, charged: 0, expired: 0 };

/**
 * Looks at the rows of money that is frozen, of which there is one for each call under way and each busy payer: a
 * million of them take half a second. Throws what the database throws, and when it takes longer than three seconds.
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
