import type { ISql, Sql } from "postgres";
import { DAY_SUMS_LOCK } from "@/server/billing/usage/day-sums";

async function forget(tx: ISql): Promise<void> {
  // A worker that is summing a day ends it first.
  await tx`select pg_advisory_xact_lock(hashtextextended(${DAY_SUMS_LOCK}, 0))`;
  for (const table of ["day_sums", "spend_days", "cost_days", "spend_totals", "cost_totals"]) {
    await tx`delete from ${tx(table)}`;
  }
}

/**
 * Removes the sums of days, because a test has changed hours of the past, which nothing but a repair does. Pages read the
 * hours until the worker has summed the days again. `sql`: a transaction, or a connection, which gets one.
 */
export async function forgetDaySums(sql: ISql): Promise<void> {
  await ("begin" in sql ? (sql as Sql).begin(forget) : forget(sql));
}
