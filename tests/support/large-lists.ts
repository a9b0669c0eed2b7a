import type { Sql } from "postgres";
import type { AccountId, KeyId } from "@/server/domain/ids";
import { branded } from "./branded";

/** Keys of the large account; all others together have four times as many. */
const KEYS = 10_000;
export const DAYS = 90;

const now = Date.now();
export const daysAgo = (days: number) => new Date(now - days * 86_400_000);
export const keyId = (serial: number): KeyId => branded(`key_${serial.toString(16).padStart(32, "0")}`);

/**
 * Fills the lists of two accounts: calls, their attempts, ledger entries and keys. The small account has a tenth of the
 * calls. One key has a third of the large account's calls. Failures and one model are rare.
 */
export async function fillLists(
  sql: Sql,
  { rows, large, small }: { rows: number; large: AccountId; small: AccountId },
): Promise<void> {
  const begin = daysAgo(DAYS).getTime();
  const stepMs = (now - begin) / rows;
  await sql`
    insert into api_keys (id, account_id, name, hash, last_four, status)
    select 'key_' || lpad(to_hex(i), 32, '0'), case when i <= ${KEYS} then ${large} else ${small} end, 'key ' || i,
      'hash-' || i, right(lpad(i::text, 4, '0'), 4), case when i % 20 = 0 then 'disabled' else 'active' end
    from generate_series(1, 5 * ${KEYS}::int) as i`;
  await sql`
    insert into calls (
      request_id, account_id, key_id, endpoint, model_id, status, error, elapsed_ms, address, started_at
    )
    select
      'req_' || lpad(to_hex(ms), 12, '0') || lpad(to_hex(i), 20, '7'),
      case when i % 10 = 0 then ${small} else ${large} end,
      case when i % 10 = 0 then 'key_of_small' when i % 3 = 0 then ${keyId(1)}
        else 'key_' || lpad(to_hex(2 + i % (${KEYS}::int - 1)), 32, '0') end,
      case when i % 50 = 0 then 'embeddings' else 'chat.completions' end,
      case when i % 10000 = 7 then 'rare' else 'model-' || i % 5 end,
      case when i % 97 = 0 then 502 else 200 end, case when i % 97 = 0 then 'upstreams_unavailable' end,
      i % 5000, '203.0.113.9', to_timestamp(ms / 1000.0)
    from generate_series(1, ${rows}::int) as i,
      lateral (select (${begin}::float8 + i * ${stepMs}::float8)::bigint as ms) as moment`;
  await sql`
    insert into call_attempts (
      account_id, request_id, position, channel_id, operation, credential, model_id, began_at, status, outcome, head_ms,
      elapsed_ms
    )
    select account_id, request_id, 0, 'channel-' || elapsed_ms % 3, 'chat', '0001', model_id, started_at, status,
      case when status = 200 then 'ok' else 'refused' end, elapsed_ms / 2, elapsed_ms
    from calls`;
  await sql`
    insert into ledger_entries (
      account_id, period, kind, amount, id, held, key_id, model_id, input_tokens, output_tokens, usage_source, created_at
    )
    select account_id, to_char(started_at, 'YYYY-MM'), 'capture', 1000000, request_id, 2000000, key_id, model_id,
      10, 20, 'upstream', started_at
    from calls`;
}
