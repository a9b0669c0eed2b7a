import { and, asc, eq, gt, isNotNull } from "drizzle-orm";
import { RESEAL_BATCH, type Resealed, resealRows, resealValues, type Vault } from "@/server/base/vault";
import { type Db, tables, transaction } from "@/server/db";
import { ormOf } from "@/server/db/handles";

const { users } = tables;

/** Seals every authenticator's secret again, with the vault's current key. */
export const resealTotpSecrets = (db: Db, vault: Vault): Promise<Resealed> =>
  resealRows(
    (after) =>
      ormOf(db)
        .select({ id: users.id })
        .from(users)
        .where(and(gt(users.id, after), isNotNull(users.totpSecret)))
        .orderBy(asc(users.id))
        .limit(RESEAL_BATCH),
    (id) =>
      transaction(db, async (tx) => {
        const [row] = await ormOf(tx)
          .select({ sealed: users.totpSecret })
          .from(users)
          .where(eq(users.id, id))
          .for("no key update");
        const { values, ...done } = resealValues(row?.sealed ? [row.sealed] : [], vault);
        if (done.resealed > 0) {
          await ormOf(tx).update(users).set({ totpSecret: values[0] }).where(eq(users.id, id));
        }
        return done;
      }),
  );
