import { type Db, type MakeOptions, makePartitions, type Partition } from "@/server/db";
import { periodAfter } from "@/server/domain/period";

/** Months created in advance: a failure to create one is noticed before the last one is used up. */
const MONTHS_AHEAD = 2;

/**
 * Creates the ledger's partitions of a month and of the months after it. Entries of a month without a partition are
 * kept in `ledger_entries_rest` until it has one.
 */
export async function makeLedgerMonths(db: Db, period: string, options?: MakeOptions): Promise<void> {
  const months: Partition[] = [];
  let month = period;
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    months.push({
      table: "ledger_entries",
      month,
      bound: `for values in ('${month}')`,
      condition: `period = '${month}'`,
    });
    month = periodAfter(month);
  }
  await makePartitions(db, months, options);
}
