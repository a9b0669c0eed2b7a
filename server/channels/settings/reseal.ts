import { asc, eq, sql } from "drizzle-orm";
import { RESEAL_BATCH, type Resealed, resealRows, resealValues, type Vault } from "@/server/base/vault";
import { type Db, reportChange, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { channels } = tables;

/** Returns some of the stored credentials, still sealed. */
export async function sampleCredentials(db: Db, limit: number): Promise<string[]> {
  const rows = await ormOf(db).select({ credentials: channels.credentials }).from(channels).limit(limit);
  return rows.flatMap(({ credentials }) => credentials);
}

/** Seals every credential again, with the vault's current key. */
export const resealChannels = (db: Db, vault: Vault): Promise<Resealed> =>
  resealRows(
    (after) =>
      ormOf(db)
        .select({ id: channels.id })
        .from(channels)
        .where(sql`${channels.id} > ${after}`)
        .orderBy(asc(channels.id))
        .limit(RESEAL_BATCH),
    (id) =>
      transaction(db, async (tx) => {
        const [row] = await ormOf(tx)
          .select({ credentials: channels.credentials })
          .from(channels)
          .where(eq(channels.id, id))
          .for("no key update");
        const { values, ...done } = resealValues(row?.credentials ?? [], vault);
        if (done.resealed > 0) {
          await ormOf(tx).update(channels).set({ credentials: values }).where(eq(channels.id, id));
          await reportChange(tx, "channels");
        }
        return done;
      }),
  );
