import { sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { KeyId } from "@/server/domain/ids";

const { calls } = tables;

/**
 * The error of each key's last call: of its refusal, or of its broken stream. A key whose last call succeeded is left
 * out.
 */
export async function lastErrorsOfKeys(db: Db, keyIds: KeyId[]): Promise<Map<KeyId, string>> {
  if (keyIds.length === 0) {
    return new Map();
  }
  const rows = await ormOf(db).execute<{ keyId: KeyId; error: string | null }>(sql`
    select asked.id as "keyId", last.error
    from unnest(${sql.param(keyIds)}::text[]) as asked (id), lateral (
      select error from ${calls} where key_id = asked.id order by request_id desc limit 1) as last`);
  return new Map(rows.flatMap(({ keyId, error }) => (error === null ? [] : [[keyId, error]])));
}
