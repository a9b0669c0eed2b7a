import type { ISql } from "postgres";
import type { Db } from "@/server/db";
import { sqlOf } from "@/server/db/handles";

/** A line of the ledger. Amounts in nano-units as text, prices too (per million tokens), counts as text. */
export type LedgerEntry = {
  id: string;
  /** ISO 8601 with the session's offset. */
  createdAt: string;
  period: string;
  kind: "grant" | "topup" | "adjust" | "capture" | "release";
  amount: string;
  requestId: string | null;
  held: string | null;
  modelId: string | null;
  keyId: string | null;
  channelId: string | null;
  inputTokens: string | null;
  cacheReadTokens: string | null;
  cacheWriteTokens: string | null;
  cacheWrite1hTokens: string | null;
  outputTokens: string | null;
  reasoningTokens: string | null;
  usageSource: "upstream" | "partial" | "estimated" | null;
  prices: Record<string, string> | null;
  note: string | null;
};

/** What a query of `ledger_entries` reads a `LedgerEntry` from. */
export const entryColumns = (sql: ISql) => sql`
  ledger_entries.id::text, to_json(created_at)#>>'{}' as "createdAt", period, kind, amount::text,
  request_id as "requestId", held::text, model_id as "modelId", key_id as "keyId", channel_id as "channelId",
  input_tokens as "inputTokens", cache_read_tokens as "cacheReadTokens",
  cache_write_tokens as "cacheWriteTokens", cache_write_1h_tokens as "cacheWrite1hTokens",
  output_tokens as "outputTokens", reasoning_tokens as "reasoningTokens",
  usage_source as "usageSource", prices, note`;

/** The newest entries of one account, newest first. */
export async function listEntries(
  db: Db,
  filter: { accountId: string; limit: number },
): Promise<LedgerEntry[]> {
  const sql = sqlOf(db);
  const rows = await sql<LedgerEntry[]>`
    select ${entryColumns(sql)} from ledger_entries where account_id = ${filter.accountId}
    order by ledger_entries.id desc limit ${filter.limit}`;
  return [...rows];
}
