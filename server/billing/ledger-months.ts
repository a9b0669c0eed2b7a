import { periodAfter } from "@/server/base/period";
import { type Db, makePartition } from "@/server/db";

/** Months that are made ahead: a failure to make one is noticed before the last one is used up. */
const MONTHS_AHEAD = 2;

/**
 * Makes the ledger's partitions of a month and of those behind it. What comes in a month without one is kept all the
 * same, with others of the kind (`ledger_entries_rest`), until there is one.
 */
export async function makeLedgerMonths(db: Db, period: string): Promise<void> {
  let month = period;
  for (let ahead = 0; ahead <= MONTHS_AHEAD; ahead++) {
    await makePartition(db, {
      table: "ledger_entries",
      month,
      bound: `for values in ('${month}')`,
      isOf: `period = '${month}'`,
    });
    month = periodAfter(month);
  }
}
