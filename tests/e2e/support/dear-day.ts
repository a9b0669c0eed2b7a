import type { AccountId } from "@/server/domain/ids";
import { forgetDaySums } from "@/tests/support/day-sums";
import { withDatabase } from "./database";

const HOUR_MS = 3_600_000;
const CALLS = 57;
/** 57 calls cost 20.11: each costs 0.35, and the last one 0.51. */
const USUAL_NANOS = 350_000_000;
const LAST_NANOS = 510_000_000;

/** The zone in which the flows' server bills. From 16:00 on in UTC its day is the next one. */
const today = () => new Intl.DateTimeFormat("en-CA", { timeZone: "Asia/Shanghai" }).format();

/** Noon in UTC, some days before today: the same day in UTC and in that zone. */
const noonBefore = (days: number) => new Date(Date.parse(today()) - days * 24 * HOUR_MS + 12 * HOUR_MS);

/**
 * Gives an account a usual month, of 1.00 a day, and yesterday 57 calls of one model for 20.11 at noon (UTC). Flows
 * cannot wait for a month. Returns the day, and the identifier of the dearest call.
 */
export const makeDearDay = ({
  accountId,
  keyId,
  modelId,
}: {
  accountId: AccountId;
  keyId: string;
  modelId: string;
}): Promise<{ day: string; dearest: string }> =>
  withDatabase(async (sql) => {
    const hourOf = async (days: number, calls: number, nanos: number) => {
      const hour = noonBefore(days);
      await sql`
        insert into spend_hours (
          account_id, period, hour, key_id, model_id, calls, amount, input_tokens, output_tokens
        ) values (${accountId}, ${hour.toISOString().slice(0, 7)}, ${hour}, ${keyId}, ${modelId}, ${calls}, ${nanos},
          ${calls * 100}, ${calls * 10})`;
    };
    for (let days = 20; days > 1; days--) {
      await hourOf(days, 3, 1_000_000_000);
    }
    await hourOf(1, CALLS, (CALLS - 1) * USUAL_NANOS + LAST_NANOS);
    await forgetDaySums(sql);
    const noon = noonBefore(1).getTime();
    const calls = await sql<{ id: string }[]>`
      insert into calls (request_id, account_id, key_id, endpoint, model_id, status, elapsed_ms, started_at)
      select 'req_' || lpad(to_hex(${noon}::bigint + i), 12, '0') || substr(md5(${accountId} || i), 1, 20),
        ${accountId}, ${keyId}, 'chat.completions', ${modelId}, 200, 1000 + i, to_timestamp((${noon}::bigint + i) / 1000.0)
      from generate_series(1, ${CALLS}::int) as i
      returning request_id as id`;
    await sql`
      insert into ledger_entries (
        account_id, period, kind, amount, id, held, key_id, model_id, input_tokens, output_tokens, usage_source, created_at
      )
      select account_id, to_char(started_at, 'YYYY-MM'), 'capture',
        case when row_number() over (order by request_id) = ${CALLS} then ${LAST_NANOS}::int else ${USUAL_NANOS} end,
        request_id, 0, key_id, model_id, 100, 10, 'upstream', started_at
      from calls where account_id = ${accountId} and request_id in ${sql(calls.map(({ id }) => id))}`;
    const last =
      calls
        .map(({ id }) => id)
        .sort()
        .at(-1) ?? "";
    return { day: noonBefore(1).toISOString().slice(0, 10), dearest: last };
  });
