import { sql } from "drizzle-orm";
import { type Db, tables } from "@/server/db";
import { ormOf } from "@/server/db/handles";
import type { KeyId } from "@/server/domain/ids";

const { apiKeys } = tables;

type Use = { at: Date; address: string | null };

/** The last use and address of each key, kept in memory until they are flushed: a call does not write its key's row. */
export type LastUsed = {
  note: (keyId: KeyId, use: Use) => void;
  /** Stores the uses since the last flush. Uses that cannot be stored are kept for the next time. */
  flush: () => Promise<void>;
};

/**
 * Stores each use unless the row has a later one, so that replicas may write in any order. A deleted key stays as it
 * is: its account may have been erased since the address was noted. Rows are locked in the order of their identifiers,
 * so that replicas never deadlock.
 */
async function storeUses(db: Db, uses: Map<string, Use>): Promise<void> {
  const rows = [...uses].map(([id, use]) => ({ id, ...use }));
  await ormOf(db).execute(sql`
    with used as (
      select * from json_to_recordset(${JSON.stringify(rows)}::text::json) as (id text, at timestamptz, address text)
    ), locked as (
      select id from ${apiKeys} where id in (select id from used) and deleted_at is null
      order by id for no key update
    )
    update ${apiKeys} set last_used_at = used.at, last_address = used.address
    from used join locked using (id)
    where ${apiKeys.id} = used.id and (${apiKeys.lastUsedAt} is null or ${apiKeys.lastUsedAt} < used.at)`);
}

export function createLastUsed(db: Db): LastUsed {
  let uses = new Map<string, Use>();
  return {
    note: (keyId, use) => void uses.set(keyId, use),
    flush: async () => {
      if (uses.size === 0) {
        return;
      }
      const batch = uses;
      uses = new Map();
      try {
        await storeUses(db, batch);
      } catch (error) {
        uses = new Map([...batch, ...uses]);
        throw error;
      }
    },
  };
}
