import { and, asc, eq, gt, isNotNull } from "drizzle-orm";
import { RESEAL_BATCH, type Resealed, resealRows, resealValues, type Vault } from "@/server/base/vault";
import { type Queryable, tables } from "@/server/db";

const { videoTasks } = tables;

/**
 * Seals every task's credential anew under the vault's key; those of ended ones too, whose files are still fetched.
 */
export const resealTasks = (db: Queryable, vault: Vault): Promise<Resealed> =>
  resealRows(
    (after) =>
      db
        .select({ id: videoTasks.id })
        .from(videoTasks)
        .where(and(gt(videoTasks.id, after), isNotNull(videoTasks.credential)))
        .orderBy(asc(videoTasks.id))
        .limit(RESEAL_BATCH),
    (id) =>
      db.transaction(async (transaction) => {
        const [row] = await transaction
          .select({ credential: videoTasks.credential })
          .from(videoTasks)
          .where(eq(videoTasks.id, id))
          .for("no key update");
        const { values, ...done } = resealValues(row?.credential ? [row.credential] : [], vault);
        if (done.resealed > 0) {
          await transaction.update(videoTasks).set({ credential: values[0] }).where(eq(videoTasks.id, id));
        }
        return done;
      }),
  );
