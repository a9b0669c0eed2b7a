const FILLED = `"account_id" in ('acc_filled_1', 'acc_filled_2', 'acc_filled_3', 'acc_filled_4')`;
const KEY = `"account_id", "id", "is_lost", "period"`;

/**
 * Possible migrations of a later release for the largest table (`fillLedger`): one of each kind, and a backfill of a
 * fifth of it.
 */
export const NEXT_RELEASE = {
  column: 'ALTER TABLE "ledger_entries" ADD COLUMN "later" text;',
  // The backfill finds the remaining rows by it.
  index: `-- tollgate: concurrently
CREATE INDEX CONCURRENTLY "ledger_unfilled" ON "ledger_entries" (${KEY}) WHERE "later" IS NULL AND ${FILLED};`,
  backfill: `-- tollgate: in batches
UPDATE "ledger_entries" SET "later" = 'filled' WHERE (${KEY}) IN (
  SELECT ${KEY} FROM "ledger_entries" WHERE "later" IS NULL AND ${FILLED} LIMIT 5000
);`,
  dropped: '-- tollgate: concurrently\nDROP INDEX CONCURRENTLY "ledger_unfilled";',
};

export const NEXT_TAGS = Object.keys(NEXT_RELEASE).map((name, at) => `${9001 + at}_${name}`);
