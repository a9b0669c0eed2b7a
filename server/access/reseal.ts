import { and, asc, eq, gt, isNotNull } from "drizzle-orm";
import { RESEAL_BATCH, type Resealed, resealRows, resealValues, type Vault } from "@/server/base/vault";
import { type Queryable, tables } from "@/server/db";

const { users } = tables;

/** Seals every authenticator's secret anew under the vault's key. */
export const resealTotpSecrets = (db: Queryable, vault: Vault): Promise<Resealed> =>
  resealRows(
    (after) =>
      db
        .select({ id: users.id })
        .from(users)
        .where(and(gt(users.id, after), isNotNull(users.totpSecret)))
        .orderBy(asc(users.id))
        .limit(RESEAL_BATCH),
    (id) =>
      db.transaction(async (transaction) => {
        const [row] = await transaction
          .select({ sealed: users.totpSecret })
          .from(users)
          .where(eq(users.id, id))
          .for("no key update");
        const { values, ...done } = resealValues(row?.sealed ? [row.sealed] : [], vault);
        if (done.resealed > 0) {
          await transaction.update(users).set({ totpSecret: values[0] }).where(eq(users.id, id));
        }
        return done;
      }),
  );
