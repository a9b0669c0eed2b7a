import type { ISql } from "postgres";

/**
 * Removes the sums of days, because a test has changed hours of the past, which nothing but a repair does. Pages read the
 * hours until the worker has summed the days again.
 */
export async function forgetDaySums(sql: ISql): Promise<void> {
  // First the row by which pages find the others.
  await sql`delete from day_sums`;
  await sql`delete from spend_days`;
  await sql`delete from cost_days`;
  await sql`delete from spend_totals`;
  await sql`delete from cost_totals`;
}
