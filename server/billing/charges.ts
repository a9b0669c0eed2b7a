import type { Sql } from "postgres";
import { entryColumns, type LedgerEntry } from "./entries";

/**
 * How the money of these requests ended, by request id (a video's is its task's id): a capture is what it cost, after a
 * release it cost nothing. What is not in the answer froze no money, or has not ended. `accountId`: whose.
 */
export async function findCharges(
  sql: Sql,
  requestIds: string[],
  accountId?: string,
): Promise<Map<string, LedgerEntry & { requestId: string }>> {
  if (requestIds.length === 0) {
    return new Map();
  }
  const rows = await sql<(LedgerEntry & { requestId: string })[]>`
    select ${entryColumns(sql)}
    from ledger_entries
    where request_id = any(${requestIds}) and ${accountId === undefined ? sql`true` : sql`account_id = ${accountId}`}`;
  return new Map(rows.map((row) => [row.requestId, row]));
}
