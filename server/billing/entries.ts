import type { Fragment, ISql } from "postgres";
import type { AccountId, ChannelId, KeyId } from "@/server/base/ids";
import { type Nanos, nanos } from "@/server/base/money";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";

/** A line of the ledger. Prices are of a million tokens, or of a video. */
export type LedgerEntry = {
  id: string;
  /** ISO 8601 with the session's offset. */
  createdAt: string;
  period: string;
  kind: "grant" | "topup" | "adjust" | "capture" | "release";
  amount: Nanos;
  requestId: string | null;
  held: Nanos | null;
  modelId: string | null;
  keyId: KeyId | null;
  channelId: ChannelId | null;
  inputTokens: number | null;
  cacheReadTokens: number | null;
  cacheWriteTokens: number | null;
  cacheWrite1hTokens: number | null;
  outputTokens: number | null;
  reasoningTokens: number | null;
  usageSource: "upstream" | "partial" | "estimated" | null;
  prices: Record<string, Nanos> | null;
  note: string | null;
};

/** As the driver gives it: money is text. */
type RawEntry = Omit<LedgerEntry, "amount" | "held" | "prices"> & {
  amount: string;
  held: string | null;
  prices: Record<string, string> | null;
};

const toEntry = ({ amount, held, prices, ...entry }: RawEntry): LedgerEntry => ({
  ...entry,
  amount: nanos(amount),
  held: held === null ? null : nanos(held),
  prices: prices && Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, nanos(price)])),
});

/** Entries of the ledger. `which`: the rest of the query. */
export async function selectEntries(sql: ISql, which: Fragment): Promise<LedgerEntry[]> {
  const rows = await sql<RawEntry[]>`
    select ledger_entries.id::text, to_json(created_at)#>>'{}' as "createdAt", period, kind, amount::text,
      request_id as "requestId", held::text, model_id as "modelId", key_id as "keyId", channel_id as "channelId",
      input_tokens::float8 as "inputTokens", cache_read_tokens::float8 as "cacheReadTokens",
      cache_write_tokens::float8 as "cacheWriteTokens", cache_write_1h_tokens::float8 as "cacheWrite1hTokens",
      output_tokens::float8 as "outputTokens", reasoning_tokens::float8 as "reasoningTokens",
      usage_source as "usageSource", prices, note
    from ledger_entries ${which}`;
  return rows.map(toEntry);
}

/** The newest entries of one account, newest first. */
export async function listEntries(
  db: Db,
  filter: { accountId: AccountId; limit: number },
): Promise<LedgerEntry[]> {
  const sql = sqlOf(db);
  return await selectEntries(
    sql,
    sql`where account_id = ${filter.accountId} order by ledger_entries.id desc limit ${filter.limit}`,
  );
}
