import { expect } from "@playwright/test";
import { forgetDaySums } from "@/tests/support/day-sums";
import { withDatabase } from "./database";

/**
 * Moves all charges and top-ups of an account a month back, as if they had happened then: flows cannot wait for the end
 * of a month. Nothing may be frozen any more; an adjustment ensures that. Returns the month.
 */
export const moveMonthBack = (accountId: string): Promise<string> =>
  withDatabase(async (sql) => {
    const held = () => sql`select request_id from holds where account_id = ${accountId}`;
    await expect.poll(async () => (await held()).length).toBe(0);
    const [moved] = await sql.begin(async (tx) => {
      await tx`
        update ledger_entries set created_at = created_at - interval '1 month',
          period = to_char(to_date(period, 'YYYY-MM') - interval '1 month', 'YYYY-MM')
        where account_id = ${accountId}`;
      await tx`
        update spend_hours set hour = hour - interval '1 month',
          period = to_char(to_date(period, 'YYYY-MM') - interval '1 month', 'YYYY-MM')
        where account_id = ${accountId}`;
      await forgetDaySums(tx);
      return await tx<{ period: string }[]>`
        update account_months set period = to_char(to_date(period, 'YYYY-MM') - interval '1 month', 'YYYY-MM')
        where account_id = ${accountId} returning period`;
    });
    if (!moved) {
      throw new Error(`${accountId} has had no month`);
    }
    return moved.period;
  });
