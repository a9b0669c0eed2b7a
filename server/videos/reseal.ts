import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import { RESEAL_BATCH, type Resealed, resealRows, resealValues, type Vault } from "@/server/base/vault";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { videoTasks } = tables;

/**
 * Reseals every task's credential with the vault's current key, including ended tasks, whose files are still fetched.
 */
export const resealTasks = (db: Db, vault: Vault): Promise<Resealed> =>
  resealRows(
    (after) =>
      ormOf(db)
        .select({ id: videoTasks.id })
        .from(videoTasks)
        .where(and(sql`${videoTasks.id} > ${after}`, isNotNull(videoTasks.credential)))
        .orderBy(asc(videoTasks.id))
        .limit(RESEAL_BATCH),
    (id) =>
      transaction(db, async (tx) => {
        const [row] = await ormOf(tx)
          .select({ credential: videoTasks.credential })
          .from(videoTasks)
          .where(eq(videoTasks.id, id))
          .for("no key update");
        const { values, ...done } = resealValues(row?.credential ? [row.credential] : [], vault);
        if (done.resealed > 0) {
          await ormOf(tx).update(videoTasks).set({ credential: values[0] }).where(eq(videoTasks.id, id));
        }
        return done;
      }),
  );
