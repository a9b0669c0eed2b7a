import { type Nanos, nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { batchRows } from "@/server/db/batch-rows";
import { sqlOf } from "@/server/db/handles";
import { AVAILABLE } from "../months/available";
import type { Payer } from "../months/months";

const monthRows = batchRows("asked", { account_id: "text", period: "text", amount: "bigint" });

const holdRows = batchRows("asked", {
  ...{ request_id: "text", account_id: "text", period: "text", key_id: "text" },
  amount: "bigint",
});

/** A call that wants money. `escrow`: it asks for more than its hold. */
type Request = Payer & { requestId: string; amount: Nanos; escrow?: object | undefined };

/** Whether a call asks for its hold alone, under no cap. */
const isPlain = ({ keyCap, accountCap, escrow }: Request): boolean =>
  keyCap === null && (accountCap ?? null) === null && escrow === undefined;

/** The amounts that calls ask of each month. */
function monthsOf(requests: Request[]) {
  const sums = new Map<string, { request: Request; amount: bigint }>();
  for (const request of requests) {
    const name = `${request.accountId} ${request.period}`;
    sums.set(name, { request, amount: (sums.get(name)?.amount ?? 0n) + request.amount });
  }
  return [...sums.values()].map(({ request, amount }) => ({
    account_id: request.accountId,
    period: request.period,
    amount: amount.toString(),
  }));
}

/**
 * Freezes for all calls of a month what they ask, if the month has that much and does not count its keys, in one
 * statement and one commit; for a third of what serving them in order costs. Returns the request ids of the granted
 * calls. Nothing is frozen for the others, and nothing at all if one of the batch has a cap or asks for an escrow.
 *
 * - `months`: the months, locked in the order of all writers, with the amounts added to what they have frozen.
 */
export async function grantAll(
  db: Db,
  requests: Request[],
  leaseSeconds: number,
): Promise<Map<string, Nanos>> {
  if (!requests.every(isPlain)) {
    return new Map();
  }
  const sql = sqlOf(db);
  const holds = requests.map((request) => ({
    ...{ request_id: request.requestId, account_id: request.accountId, period: request.period },
    ...{ key_id: request.keyId, amount: request.amount.toString() },
  }));
  const rows = await sql<{ id: string; amount: string }[]>`
    with months as (
      update account_months as month
      set frozen = month.frozen + asked.amount
      from (select * from ${monthRows(sql, monthsOf(requests))} order by 1, 2) as asked
      where month.account_id = asked.account_id and month.period = asked.period and not counts_keys
        and ${sql.unsafe(AVAILABLE)} >= asked.amount
      returning month.account_id, month.period
    )
    insert into holds (request_id, account_id, period, key_id, amount, expires_at)
    select request_id, account_id, period, key_id, amount, now() + make_interval(secs => ${leaseSeconds})
    from ${holdRows(sql, holds)} join months using (account_id, period)
    returning request_id as id, amount::text`;
  return new Map(rows.map(({ id, amount }) => [id, nanos(amount)]));
}
