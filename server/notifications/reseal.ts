import { asc, eq, gt } from "drizzle-orm";
import { RESEAL_BATCH, type Resealed, resealRows, resealValues, type Vault } from "@/server/base/vault";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { webhooks } = tables;

/** Reseals every webhook's secrets with the vault's current key. */
export const resealWebhooks = (db: Db, vault: Vault): Promise<Resealed> =>
  resealRows(
    (after) =>
      ormOf(db)
        .select({ id: webhooks.id })
        .from(webhooks)
        .where(gt(webhooks.id, after))
        .orderBy(asc(webhooks.id))
        .limit(RESEAL_BATCH),
    (id) =>
      transaction(db, async (tx) => {
        const [row] = await ormOf(tx)
          .select({ secret: webhooks.secret, oldSecret: webhooks.oldSecret })
          .from(webhooks)
          .where(eq(webhooks.id, id))
          .for("no key update");
        const sealed = row ? [row.secret, ...(row.oldSecret === null ? [] : [row.oldSecret])] : [];
        const { values, ...done } = resealValues(sealed, vault);
        const [secret, oldSecret = null] = values;
        if (done.resealed > 0 && secret !== undefined) {
          await ormOf(tx).update(webhooks).set({ secret, oldSecret }).where(eq(webhooks.id, id));
        }
        return done;
      }),
  );
