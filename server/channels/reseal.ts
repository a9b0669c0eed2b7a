import { asc, eq, gt } from "drizzle-orm";
import { RESEAL_BATCH, type Resealed, resealRows, resealValues, type Vault } from "@/server/base/vault";
import { type Queryable, reportChange, tables } from "@/server/db";

const { channels } = tables;

/** Some of the stored credentials, as they are sealed. */
export async function sampleCredentials(db: Queryable, limit: number): Promise<string[]> {
  const rows = await db.select({ credentials: channels.credentials }).from(channels).limit(limit);
  return rows.flatMap(({ credentials }) => credentials);
}

/** Seals every credential anew under the vault's key. */
export const resealChannels = (db: Queryable, vault: Vault): Promise<Resealed> =>
  resealRows(
    (after) =>
      db
        .select({ id: channels.id })
        .from(channels)
        .where(gt(channels.id, after))
        .orderBy(asc(channels.id))
        .limit(RESEAL_BATCH),
    (id) =>
      db.transaction(async (transaction) => {
        const [row] = await transaction
          .select({ credentials: channels.credentials })
          .from(channels)
          .where(eq(channels.id, id))
          .for("no key update");
        const { values, ...done } = resealValues(row?.credentials ?? [], vault);
        if (done.resealed > 0) {
          await transaction.update(channels).set({ credentials: values }).where(eq(channels.id, id));
          await reportChange(transaction, "channels");
        }
        return done;
      }),
  );
