import type { Sql } from "postgres";
import type { Nanos } from "@/server/base/money";
import type { AccountId, ChannelId, KeyId } from "@/server/domain/ids";
import { byField, cost, eachCount, type PriceSheet, toSheet } from "@/server/pricing";
import { forgetDaySums } from "@/tests/support/day-sums";
import { randomFrom } from "@/tests/support/random";

/** An account's traffic in the last month and this one. */
export type Past = {
  accountId: AccountId;
  /** The first key is called most. */
  keys: KeyId[];
  callsADay: number;
};

/** The prices of a model, in nano-units per million tokens, and the usual size of its calls. */
export type SoldModel = {
  id: string;
  channelId: ChannelId;
  input: Nanos;
  output: Nanos;
  /** The channel's prices for it. */
  costs: { input: Nanos; output: Nanos };
  inputTokens: number;
  outputTokens: number;
};

type PastCall = {
  accountId: AccountId;
  keyId: KeyId;
  model: SoldModel;
  at: Date;
  inputTokens: number;
  outputTokens: number;
  hasFailed: boolean;
};

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Fewer calls at weekends, and a different number every day. */
function callsOf(day: Date, { callsADay }: Past, random: () => number): number {
  const isWeekend = [0, 6].includes(day.getUTCDay());
  return Math.round(callsADay * (isWeekend ? 0.35 : 1) * (0.7 + 0.6 * random()));
}

function pastCalls(pasts: Past[], models: SoldModel[], now: Date): PastCall[] {
  const random = randomFrom(5);
  /** Earlier items are more likely. */
  const pick = <T>(items: T[]): T => items[Math.floor(items.length * random() ** 2)] as T;
  const from = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 2);
  return pasts.flatMap((past) => {
    const calls: PastCall[] = [];
    for (let day = from; day < now.getTime() - HOUR_MS; day += DAY_MS) {
      for (let left = callsOf(new Date(day), past, random); left > 0; left--) {
        const model = pick(models);
        calls.push({
          accountId: past.accountId,
          keyId: pick(past.keys),
          model,
          at: new Date(day + HOUR_MS + 12 * HOUR_MS * random()),
          inputTokens: Math.round(model.inputTokens * (0.3 + 1.4 * random())),
          outputTokens: Math.round(model.outputTokens * (0.3 + 1.4 * random())),
          hasFailed: random() < 0.02,
        });
      }
    }
    return calls.filter(({ at }) => at.getTime() < now.getTime() - HOUR_MS);
  });
}

/** Ordered by time, like real ones. */
const requestId = (at: Date, serial: number) =>
  `req_${at.getTime().toString(16).padStart(12, "0")}${serial.toString(16).padStart(20, "7")}`;

const toCallRow = (call: PastCall, serial: number) => {
  const elapsedMs = 400 + Math.round(call.outputTokens * 6 + (serial % 13) * 40);
  return {
    request_id: requestId(call.at, serial),
    account_id: call.accountId,
    key_id: call.keyId,
    endpoint: call.model.output === 0n ? "embeddings" : "chat.completions",
    model_id: call.model.id,
    channel_id: call.model.channelId,
    status: call.hasFailed ? 502 : 200,
    error: call.hasFailed ? "upstreams_unavailable" : null,
    is_stream: call.model.output !== 0n && serial % 3 !== 0,
    first_token_ms: call.model.output !== 0n && serial % 3 !== 0 ? 180 + (serial % 17) * 25 : null,
    elapsed_ms: elapsedMs,
    address: "203.0.113.24",
    started_at: call.at,
  };
};

const sheetOf = ({ input, output }: { input: Nanos; output: Nanos }): PriceSheet =>
  toSheet([
    ["input", input],
    ["output", output],
  ]);

function toEntryRow(call: PastCall, serial: number, zone: string) {
  const sheet = sheetOf(call.model);
  const usage = { ...eachCount(() => 0), inputTokens: call.inputTokens, outputTokens: call.outputTokens };
  const amount = cost(usage, sheet);
  return {
    account_id: call.accountId,
    period: new Intl.DateTimeFormat("sv-SE", { timeZone: zone, year: "numeric", month: "2-digit" }).format(
      call.at,
    ),
    kind: "capture",
    amount: String(amount),
    held: String(amount * 2n),
    cost: String(cost(usage, sheetOf(call.model.costs))),
    created_at: call.at,
    id: requestId(call.at, serial),
    key_id: call.keyId,
    model_id: call.model.id,
    channel_id: call.model.channelId,
    prices: Object.fromEntries(Object.entries(byField(sheet)).map(([name, price]) => [name, String(price)])),
    input_tokens: call.inputTokens,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    cache_write_1h_tokens: 0,
    output_tokens: call.outputTokens,
    reasoning_tokens: 0,
    usage_source: "upstream",
  };
}

const BATCH_ROWS = 1_000;

async function insert(sql: Sql, table: string, rows: Record<string, unknown>[]): Promise<void> {
  for (let start = 0; start < rows.length; start += BATCH_ROWS) {
    await sql`insert into ${sql(table)} ${sql(rows.slice(start, start + BATCH_ROWS))}`;
  }
}

/**
 * Writes two months of calls as if they had been made: the log, the ledger, and the sums that the ledger's verification
 * recomputes. The accounts must not have had a call before.
 */
export async function writeHistory(
  sql: Sql,
  { pasts, models, zone }: { pasts: Past[]; models: SoldModel[]; zone: string },
): Promise<void> {
  const calls = pastCalls(pasts, models, new Date());
  await insert(sql, "calls", calls.map(toCallRow));
  const paid = calls.flatMap((call, serial) => (call.hasFailed ? [] : toEntryRow(call, serial, zone)));
  await insert(sql, "ledger_entries", paid);
  await sql`
    with opened as (
      insert into account_months (account_id, period, quota, used)
      select account_id, period, min(accounts.monthly_quota), sum(amount)
      from ledger_entries join accounts on accounts.id = account_id
      where kind = 'capture' group by 1, 2
      returning account_id, period, quota
    )
    insert into ledger_entries (id, account_id, period, kind, amount, created_at)
    select 'grant_' || period, account_id, period, 'grant', quota, to_date(period, 'YYYY-MM')::timestamp at time zone ${zone}
    from opened`;
  await sql`
    insert into spend_hours (account_id, period, hour, key_id, model_id, calls, amount, input_tokens, output_tokens)
    select account_id, period, date_trunc('hour', created_at, 'UTC'), key_id, model_id, count(*), sum(amount),
      sum(input_tokens), sum(output_tokens)
    from ledger_entries where kind = 'capture' group by 1, 2, 3, 4, 5`;
  await sql`
    insert into cost_hours (account_id, period, hour, channel_id, model_id, shard, calls, amount, cost)
    select account_id, period, date_trunc('hour', created_at, 'UTC'), channel_id, model_id, 0, count(*), sum(amount), sum(cost)
    from ledger_entries where kind = 'capture' and cost is not null group by 1, 2, 3, 4, 5`;
  await forgetDaySums(sql);
  await sql`update accounts set created_at = now() - interval '70 days'`;
}
