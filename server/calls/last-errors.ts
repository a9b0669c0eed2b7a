import { desc, eq, sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { isDistributed, ormOf } from "@/server/db/handles";
import type { KeyId } from "@/server/domain/ids";

const { calls } = tables;

type LastError = { keyId: KeyId; error: string | null };

async function lastErrorsOf(db: Db, keyIds: KeyId[]): Promise<LastError[]> {
  return await ormOf(db).execute<LastError>(sql`
    select asked.id as "keyId", last.error
    from unnest(${sql.param(keyIds)}::text[]) as asked (id), lateral (
      select error from ${calls} where key_id = asked.id order by request_id desc limit 1) as last`);
}

/** The same of one key, by a statement that joins nothing: no machine can join another's rows. */
async function lastErrorOf(db: Db, keyId: KeyId): Promise<LastError[]> {
  const { error } = calls;
  const newest = ormOf(db).select({ error }).from(calls).where(eq(calls.keyId, keyId));
  const rows = await newest.orderBy(desc(calls.requestId)).limit(1);
  return rows.map((row) => ({ keyId, ...row }));
}

/**
 * The error of each key's last call: of its refusal, or of its broken stream. A key whose last call succeeded is left
 * out.
 */
export async function lastErrorsOfKeys(db: Db, keyIds: KeyId[]): Promise<Map<KeyId, string>> {
  if (keyIds.length === 0) {
    return new Map();
  }
  const rows = isDistributed(db)
    ? (await Promise.all(keyIds.map((keyId) => lastErrorOf(db, keyId)))).flat()
    : await lastErrorsOf(db, keyIds);
  return new Map(rows.flatMap(({ keyId, error }) => (error === null ? [] : [[keyId, error]])));
}
